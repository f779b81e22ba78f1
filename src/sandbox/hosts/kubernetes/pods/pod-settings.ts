import type {
  V1Container,
  V1Pod,
  V1SecurityContext,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node"
import { agentCommand } from "../../../agent/commands/agent-command.ts"
import type { InjectedPrograms } from "../../../agent/commands/inject-programs.ts"
import { injectedFirst } from "../../../agent/commands/require-programs.ts"
import {
  exchangeBytes,
  keeperPaths,
  keeperProgram,
  makePipes,
} from "../../../agent/frames/keeper-program.ts"
import { type HeldLimits, temporaryBytesOf } from "../../../host/choose-limits.ts"
import type { SandboxLimitsRequest } from "../../../host/host.ts"
import { accountFiles, sandboxEnvironment } from "../../../host/sandbox-user.ts"
import { kubernetesLimits, sandboxLimits } from "../../../limits.ts"
import { relayOptions } from "../../../network/relay.ts"
import { injectedPaths } from "../../../programs/inject-programs.ts"
import { injectedDirectory, injectedNode } from "../../../programs/injected-node.ts"
import { wholeMark } from "../../../programs/pack-directory.ts"
import { networkLabel, type PodNetwork } from "../network/closed-policy.ts"
import { ownerLabel, toolkeepLabel } from "../owners/object-names.ts"

/** What a pod is for any sandbox: two of one shape are the same. */
export interface PodShape {
  readonly image: string
  /** An image with Node for the keeper; null where this machine's Node is uploaded. */
  readonly keeperImage: string | null
  /** Without a connection for so long, it ends. */
  readonly abandonedMs: number
  readonly injected: InjectedPrograms | null
  readonly limits: HeldLimits & { readonly diskBytes: number }
  /** What was asked for by name: a node that takes the pod has to have all of it. */
  readonly requested: SandboxLimitsRequest
  readonly runtimeClass: string | null
  /** The claim whose volume has its home; null where that is the pod's own. */
  readonly claim: string | null
}

export interface PodSpec extends PodShape {
  readonly name: string
  /** What a connection to its keeper begins with. */
  readonly token: string
  /** The Lease of the process that it belongs to. */
  readonly owner: string
  /** The number of its user and group. */
  readonly user: number
  /** Whether the namespace's policy closes it. */
  readonly network: PodNetwork
  /** What else others find it by. */
  readonly labels?: Readonly<Record<string, string>>
}

/** What a Toolkeep that has not made the pod connects with. */
export const tokenAnnotation = "toolkeep.dev/token"
export const containers = { keeper: "keeper", sandbox: "sandbox" } as const

/** The volume of the home is shown one level above it: a home has to be its user's, and a volume is root's. */
const homes = "/home"

/** A pod that is one sandbox. It passes the Pod Security standard "restricted". */
export function podSettings(spec: PodSpec): V1Pod {
  const { name, user, owner } = spec
  const accounts = accountFiles({ user, group: user })
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: {
        [toolkeepLabel]: "true",
        [ownerLabel]: owner,
        "app.kubernetes.io/managed-by": "toolkeep",
        [networkLabel]: spec.network,
        ...spec.labels,
      },
      annotations: {
        [tokenAnnotation]: spec.token,
        "toolkeep.dev/passwd": accounts.passwd,
        "toolkeep.dev/group": accounts.group,
      },
    },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 0,
      activeDeadlineSeconds: kubernetesLimits.podSeconds,
      hostname: "sandbox",
      ...(spec.runtimeClass === null ? {} : { runtimeClassName: spec.runtimeClass }),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        // A volume of its own is root's until somebody says whose it is.
        ...(spec.claim !== null && { fsGroup: user, fsGroupChangePolicy: "OnRootMismatch" }),
        seccompProfile: { type: "RuntimeDefault" },
      },
      // A node starts them in this order, and the second one when the hook of the first one has ended.
      containers: [keeper(spec), sandbox(spec)],
      volumes: volumes(spec),
    },
  }
}

const confined: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  privileged: false,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
}

const mount = (name: string, mountPath: string, readOnly = false): V1VolumeMount => ({
  ...{ name, mountPath, readOnly },
})

function programMounts({ injected }: PodSpec, readOnly: boolean): V1VolumeMount[] {
  return [
    mount("programs", injectedDirectory, readOnly),
    ...(injected ? [mount("lent", injectedPaths.inside, readOnly)] : []),
  ]
}

function keeper(spec: PodSpec): V1Container {
  const memory = String(2 * exchangeBytes)
  const wait = `until [ -e ${injectedDirectory}/${wholeMark} ]; do sleep 0.1 || exit 1; done`
  return {
    name: containers.keeper,
    image: spec.keeperImage ?? spec.image,
    imagePullPolicy: "IfNotPresent",
    command: [
      "/bin/sh",
      "-c",
      startKeeper(spec, wait),
      "sh",
      keeperProgram(spec.token, homes, spec.abandonedMs),
    ],
    workingDir: "/",
    securityContext: confined,
    resources: {
      limits: { memory, cpu: "1" },
      requests: { memory: "32Mi", cpu: "10m" },
    },
    lifecycle: { postStart: { exec: { command: ["/bin/sh", "-c", wait] } } },
    volumeMounts: [
      mount("keeper", keeperPaths.own),
      mount("exchange", keeperPaths.exchange),
      mount("home", homes),
      ...programMounts(spec, false),
    ],
  }
}

/** The programs come over a stream, or are those of its own image. */
function startKeeper(spec: PodSpec, wait: string): string {
  const programs = spec.keeperImage === null ? wait : copyNode
  return [
    `${injectedFirst}; ${makePipes()} || exit 1;`,
    // Without what a volume hands down to all that is made in it.
    "[ -d /home/user ] || { mkdir -m 700 /home/user && chmod g-s /home/user; } || exit 1;",
    `${programs} || exit 1;`,
    `exec /bin/sh ${injectedNode} ${relayOptions.join(" ")} -e "$1"`,
  ].join("\n")
}

/** Its image's own Node, with the libraries that it needs, for programs of any image. */
const copyNode = [
  `(own=${injectedDirectory}/own; mkdir -p $own/lib && cp "$(command -v node)" $own/node &&`,
  "for file in $(ldd $own/node | grep -o '/[^ ]*'); do cp -L $file $own/lib/ || exit 1; done;",
  // One that needs no loader is started as it is.
  'set -- $own/lib/ld-*; start=; [ ! -e $1 ] || start="$1 --library-path $own/lib ";',
  `printf '#!/bin/bash\\nexec %s%s "$@"\\n' "$start" $own/node >${injectedNode} &&`,
  `chmod 755 ${injectedNode})`,
].join("\n")

function sandbox(spec: PodSpec): V1Container {
  const { memoryBytes, processes, processors } = spec.limits
  const { requested } = spec
  const { reservedShare } = kubernetesLimits
  const agent = agentCommand(spec.injected, processes - sandboxLimits.processesReserved)
  return {
    name: containers.sandbox,
    image: spec.image,
    imagePullPolicy: "IfNotPresent",
    // As the first process the agent takes in orphans, and no process inside can kill it.
    command: [...agent.program, ...agent.arguments],
    workingDir: "/home/user",
    // PATH is the image's own.
    env: Object.entries(sandboxEnvironment).map(([name, value]) => ({ name, value })),
    securityContext: confined,
    resources: {
      limits: { memory: String(memoryBytes), cpu: thousandths(processors) },
      requests: {
        memory: String(requested.memoryBytes ?? Math.ceil(memoryBytes * reservedShare)),
        cpu: thousandths(requested.processors ?? processors * reservedShare),
      },
    },
    volumeMounts: [
      mount("home", homes),
      mount("temporary", "/tmp"),
      mount("exchange", keeperPaths.exchange, true),
      { ...mount("accounts", "/etc/passwd", true), subPath: "passwd" },
      { ...mount("accounts", "/etc/group", true), subPath: "group" },
      ...programMounts(spec, true),
      ...(spec.injected?.withBash
        ? [{ ...mount("lent", "/bin/bash", true), subPath: "bin/bash" }]
        : []),
    ],
  }
}

function thousandths(processors: number): string {
  return `${Math.max(1, Math.round(processors * 1_000))}m`
}

/** Far above what programs take, and what the keeper's own pipes do. */
const programBytes = 1024 ** 3
const pipeBytes = 1024 ** 2

function volumes({ limits, injected, claim }: PodSpec): V1Volume[] {
  const inMemory = (name: string, bytes: number): V1Volume => ({
    name,
    emptyDir: { medium: "Memory", sizeLimit: String(bytes) },
  })
  const onDisk = (name: string, bytes: number): V1Volume => ({
    name,
    emptyDir: { sizeLimit: String(bytes) },
  })
  return [
    // A node that measures more ends the pod; Toolkeep measures more often, and refuses before.
    claim === null
      ? onDisk("home", 2 * limits.diskBytes)
      : { name: "home", persistentVolumeClaim: { claimName: claim } },
    inMemory("temporary", temporaryBytesOf(limits.memoryBytes)),
    inMemory("exchange", exchangeBytes),
    inMemory("keeper", pipeBytes),
    onDisk("programs", programBytes),
    ...(injected ? [onDisk("lent", programBytes)] : []),
    {
      name: "accounts",
      downwardAPI: {
        items: ["passwd", "group"].map((path) => ({
          path,
          fieldRef: { fieldPath: `metadata.annotations['toolkeep.dev/${path}']` },
        })),
      },
    },
  ]
}
