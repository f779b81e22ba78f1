import {
  type Capabilities,
  type Checked,
  defineTool,
  integer,
  isObject,
  object,
  ToolFailure,
  text,
} from "../../contract/index.ts"
import type { Pool } from "../../sandbox/index.ts"
import { noImageMessage, poolLimits, sandboxLimits } from "../../sandbox/index.ts"
import { namedSandbox, sandboxName } from "../arguments.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { nameBound, networkArgument, networkOf } from "./network-argument.ts"
import { describeNew, sandboxFields, showSandbox } from "./sandbox-status.ts"

/** sandbox.create: a sandbox with a name; fine when there is one like that already. */
export function createSandboxTool({ can, sandboxes }: ToolDeps) {
  const network = networkArgument(can, sandboxes.network)
  const limitsGiven = limitsArgument(can)
  const tool = defineTool({
    name: "sandbox.create",
    title: "Create a sandbox",
    description:
      "Creates a sandbox with its own files and processes, which other tools use by name. " +
      "created is false when it existed; one that differs is refused. " +
      'Example: {"sandbox": "backend", "sleep_after_ms": 600000}.',
    input: object({
      sandbox: sandboxName("Its name."),
      "image?": imageArgument(can),
      sleep_after_ms: integer("Sleeps after so long without use; files stay, processes end.", {
        minimum: poolLimits.sleepAfterMsLeast,
        maximum: poolLimits.sleepAfterMsMost,
        default: poolLimits.sleepAfterMs,
      }),
      ...(network && { "network?": network }),
      ...(limitsGiven && { "limits?": limitsGiven }),
      ...(can.snapshots && { "from?": fromArgument }),
    }),
    output: object({
      kind: { const: "sandbox" },
      sandbox: { type: "string" },
      created: { type: "boolean" },
      ...sandboxFields,
    }),
    groups: ["runtime"],
    effects: network ? ["execute", "network"] : ["execute"],
    sandbox: namedSandbox,
    async run({ sandbox: name, image, sleep_after_ms: sleepAfterMs, from, ...wanted }, context) {
      const network = networkOf(wanted.network)
      requireOwnSnapshot(sandboxes, from)
      const { sandbox, created } = await sandboxes.create({
        ...{ name, image, sleepAfterMs, network, from },
        limits: wanted.limits && {
          memoryBytes: wanted.limits.memory_bytes,
          diskBytes: wanted.limits.disk_bytes,
          processes: wanted.limits.processes,
          processors: wanted.limits.processors,
        },
      })
      const described = await describeNew(sandboxes, sandbox)
      if (described.sleep_after_ms !== sleepAfterMs) {
        context.warn(`It already existed and sleeps after ${described.sleep_after_ms} ms.`)
      }
      return { kind: "sandbox", sandbox, created, ...described }
    },
    show: showSandbox,
  })
  const { bounds } = sandboxes.network
  return Object.freeze({
    ...tool,
    check: (input: unknown) => nameImage(nameBound(tool.check(input), input, bounds), input, can),
  })
}

/** An image that the host does not have is refused with how a person provides it. */
function nameImage(checked: Checked, input: unknown, can: Capabilities): Checked {
  if (checked.ok || checked.failure.field !== "image") return checked
  const given: unknown = typeof input === "string" ? JSON.parse(input) : input
  const image = isObject(given) ? given.image : undefined
  if (typeof image !== "string") return checked
  return { ok: false, failure: { ...checked.failure, message: noImageMessage(image, can) } }
}

/** Where the images are known beforehand, the argument is one of them. */
function imageArgument({ images }: Capabilities) {
  if (!images) {
    return text('Such as "python:3.12".')
  }
  const [byDefault = ""] = images
  const description = `Without it, ${JSON.stringify(byDefault)}.`
  return text(description, { enum: images, default: byDefault })
}

const fromArgument = text('A snapshot to start with, such as "snapshot_0a1b2c3d".')

/** The limits that the host holds a sandbox to; null when there is none. */
function limitsArgument({ limits: given }: Capabilities) {
  const { memoryBytesLeast, diskBytesLeast, processesLeast, processorsLeast } = sandboxLimits
  const memory = upTo(given.memoryBytes, memoryBytesLeast)
  const disk = upTo(given.diskBytes, diskBytesLeast)
  const processes = upTo(given.processes, processesLeast)
  const processors = upTo(given.processors, processorsLeast)
  if (!memory && !disk && !processes && !processors) return null
  return {
    ...object({
      ...(memory && {
        "memory_bytes?": integer("Such as 536870912.", memory),
      }),
      ...(disk && {
        "disk_bytes?": integer("Such as 1073741824.", disk),
      }),
      ...(processes && {
        "processes?": integer("Such as 100.", processes),
      }),
      ...(processors && {
        "processors?": {
          type: "number",
          ...processors,
          description: "Such as 0.5.",
        },
      }),
    }),
    description: "Lower than by default.",
  } as const
}

/** At most what the host gives anyway: more is for the program that opened the session. */
function upTo(maximum: number | null, minimum: number) {
  return maximum === null || maximum < minimum ? null : { minimum, maximum }
}

/** A host keeps the snapshots of all its sessions, and they share nothing. */
function requireOwnSnapshot(sandboxes: Pool, from: string | undefined): void {
  const own = sandboxes.snapshots()
  if (from === undefined || own.includes(from)) return
  throw new ToolFailure({
    kind: "not_found",
    message: `This session has no snapshot ${JSON.stringify(from.slice(0, 100))}.`,
    field: "from",
    expected: own.length > 0 ? `one of ${own.slice(-20).join(", ")}` : "none was taken yet",
  })
}
