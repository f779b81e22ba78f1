import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "./parts.ts"

/** Of this namespace, and of each node's. */
export const address = (node: number) => `10.231.0.${node + 1}`
/** Of the pods of a node. */
export const podRange = (node: number) => `10.232.${node}.0/24`
const port = 6443
export const apiUrl = `https://${address(0)}:${port}`
const adminToken = "admin-token"
export const bearer = `Authorization: Bearer ${adminToken}`

/** The users that the cluster knows; the second one has no rights until a role is bound to it. */
const users = [
  `${adminToken},admin,1,"system:masters"`,
  'toolkeep-token,toolkeep,2,"toolkeepers"',
  "",
].join("\n")

interface ClusterFiles {
  readonly kubeconfig: string
  readonly etcd: readonly string[]
  readonly apiServer: readonly string[]
  readonly manager: readonly string[]
  readonly scheduler: readonly string[]
}

/** How the parts are started that are not a node's. */
export function configure(directory: string): ClusterFiles {
  const file = (name: string) => join(directory, name)
  run("openssl", "genrsa", "-out", file("sa.key"), "2048")
  run("openssl", "rsa", "-in", file("sa.key"), "-pubout", "-out", file("sa.pub"))
  writeFileSync(file("tokens.csv"), users)
  const kubeconfig = file("kubeconfig")
  writeFileSync(kubeconfig, JSON.stringify(configContent()))
  const client = "http://127.0.0.1:2379"
  const peer = "http://127.0.0.1:2380"
  return {
    kubeconfig,
    etcd: [
      ...["--data-dir", file("etcd"), "--unsafe-no-fsync"],
      ...["--listen-client-urls", client, "--advertise-client-urls", client],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ...["--initial-cluster", `default=${peer}`],
    ],
    apiServer: [
      ...[`--etcd-servers=${client}`, "--service-cluster-ip-range=10.97.0.0/16"],
      ...[`--advertise-address=${address(0)}`, `--secure-port=${port}`],
      ...[`--cert-dir=${file("api")}`, `--token-auth-file=${file("tokens.csv")}`],
      ...["--authorization-mode=RBAC", "--allow-privileged=true"],
      ...["--service-account-issuer=https://kubernetes.default.svc"],
      `--service-account-signing-key-file=${file("sa.key")}`,
      `--service-account-key-file=${file("sa.pub")}`,
      // Nothing makes the accounts that it asks for.
      "--disable-admission-plugins=ServiceAccount",
      ...["--kubelet-preferred-address-types=InternalIP", "--profiling=false"],
    ],
    manager: [
      ...[`--kubeconfig=${kubeconfig}`, "--leader-elect=false", "--port=0", "--secure-port=0"],
      `--service-account-private-key-file=${file("sa.key")}`,
      ...["--node-monitor-period=1s", "--node-monitor-grace-period=8s"],
      ...["--pod-eviction-timeout=5s", `--flex-volume-plugin-dir=${file("plugins")}`],
    ],
    scheduler: [
      ...[`--kubeconfig=${kubeconfig}`, "--leader-elect=false", "--port=0", "--secure-port=0"],
    ],
  }
}

function configContent(): object {
  const cluster = { server: apiUrl, "insecure-skip-tls-verify": true }
  const context = (name: string, user: string) => ({ name, context: { cluster: "test", user } })
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster }],
    users: [
      { name: "admin", user: { token: adminToken } },
      { name: "toolkeep", user: { token: "toolkeep-token" } },
    ],
    contexts: [context("test", "admin"), context("toolkeep", "toolkeep")],
    "current-context": "test",
  }
}

export interface NodeFiles {
  readonly number: number
  readonly socket: string
  readonly containerd: readonly string[]
  kubelet(program: string): readonly string[]
}

/** How the parts of one node are started, in its namespace. Not by `ip netns exec`, which also changes mounts. */
export function nodeFiles(cluster: string, number: number): NodeFiles {
  const directory = join(cluster, `n${number}`)
  const file = (name: string) => join(directory, name)
  for (const name of ["kubelet", "cni"]) mkdirSync(file(name), { recursive: true })
  const socket = file("containerd.sock")
  writeFileSync(file("containerd.toml"), containerdSettings(directory, socket))
  writeFileSync(file("cni/10-net.conflist"), JSON.stringify(networkSettings(directory, number)))
  writeFileSync(file("kubelet.yaml"), JSON.stringify(kubeletSettings))
  const inside = [`--net=/var/run/netns/node${number}`]
  return {
    number,
    socket,
    containerd: [...inside, "containerd", "--config", file("containerd.toml")],
    kubelet: (program) => [
      ...[...inside, program, `--kubeconfig=${join(cluster, "kubeconfig")}`],
      ...[`--config=${file("kubelet.yaml")}`, `--root-dir=${file("kubelet")}`],
      ...[`--hostname-override=node${number}`, `--node-ip=${address(number)}`],
      ...["--container-runtime=remote", `--container-runtime-endpoint=unix://${socket}`],
      ...[`--cert-dir=${file("pki")}`, `--volume-plugin-dir=${file("plugins")}`],
    ],
  }
}

function containerdSettings(directory: string, socket: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"'
  return `version = 2
root = "${directory}/containerd"
state = "${directory}/state"
[grpc]
  address = "${socket}"
[${cri}]
  sandbox_image = "docker.io/library/pause:local"
  stream_server_address = "127.0.0.1"
  restrict_oom_score_adj = true
  [${cri}.cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${directory}/cni"
  [${cri}.containerd]
    snapshotter = "overlayfs"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`
}

function networkSettings(directory: string, number: number): object {
  const ranges = [[{ subnet: podRange(number) }]]
  const routes = [{ dst: "0.0.0.0/0" }]
  const ipam = { type: "host-local", ranges, dataDir: join(directory, "ipam"), routes }
  const bridge = { type: "bridge", bridge: "cni0", isGateway: true, ipMasq: false, ipam }
  return { cniVersion: "0.4.0", name: "net", plugins: [bridge, { type: "loopback" }] }
}

const kubeletSettings = {
  kind: "KubeletConfiguration",
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  cgroupDriver: "cgroupfs",
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  failSwapOn: false,
  maxPods: 250,
  hairpinMode: "none",
  nodeStatusUpdateFrequency: "1s",
  syncFrequency: "10s",
  imageGCHighThresholdPercent: 100,
  evictionHard: { "memory.available": "100Mi" },
  clusterDomain: "cluster.local",
  containerLogMaxFiles: 2,
  registryPullQPS: 0,
}
