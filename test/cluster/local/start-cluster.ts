import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildImages } from "./build-images.ts"
import {
  address,
  apiUrl,
  bearer,
  configure,
  type NodeFiles,
  nodeFiles,
  podRange,
} from "./configure.ts"
import { containersOf, coverDirectories, removeGroups } from "./leave-nothing.ts"
import { makeVolumes } from "./make-volumes.ts"
import { eventually, type Part, run, startPart } from "./parts.ts"

/** A cluster of two nodes in namespaces of the process that called it. */
export interface LocalCluster extends AsyncDisposable {
  readonly kubeconfig: string
}

const nodes = [1, 2]
const volumes = 60

/**
 * Starts one from a program that is all its parts, and stores its files in a directory that its caller removes. Only in
 * namespaces that were made for it: see `run.ts`.
 */
export async function startCluster(kube: string, stored: string): Promise<LocalCluster> {
  const directory = coverDirectories(stored)
  const parts: Part[] = []
  const each = nodes.map((node) => nodeFiles(directory, node))
  const stop = async () => {
    const runtimes = parts.filter(({ name }) => name.startsWith("containerd"))
    for (const part of parts.toReversed()) if (!runtimes.includes(part)) await part.stop()
    await removeGroups(each.flatMap(({ socket }) => containersOf(socket)))
    for (const part of runtimes) await part.stop()
  }
  try {
    const programs = unpackPrograms(kube, directory)
    makeNetwork()
    const files = configure(directory)
    const start = (name: string, program: string, options: readonly string[]) =>
      parts.push(startPart({ name, program, options, directory }))
    start("etcd", "etcd", files.etcd)
    start("kube-apiserver", join(programs, "kube-apiserver"), files.apiServer)
    for (const node of each) start(`containerd${node.number}`, "nsenter", node.containerd)
    const images = buildImages(join(directory, "images"))
    await Promise.all(each.map((node) => importImages(node, images)))
    await eventually("the API server", async () => (await get("/readyz")) === "ok")
    start("kube-controller-manager", join(programs, "kube-controller-manager"), files.manager)
    start("kube-scheduler", join(programs, "kube-scheduler"), files.scheduler)
    for (const { number, kubelet } of each) {
      start(`kubelet${number}`, "nsenter", kubelet(join(programs, "kubelet")))
    }
    await eventually("the nodes", async () => (await readyNodes()) === nodes.length)
    makeVolumes(directory, volumes)
    return { kubeconfig: files.kubeconfig, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Each part under its name: the program looks at how it is called. */
function unpackPrograms(kube: string, directory: string): string {
  const programs = join(directory, "bin")
  mkdirSync(programs)
  const whole = join(programs, "kube")
  if (kube.endsWith(".xz")) run("sh", "-c", 'xz -dc "$1" >"$2"', "sh", kube, whole)
  else run("cp", kube, whole)
  run("chmod", "755", whole)
  for (const name of ["apiserver", "controller-manager", "scheduler"]) {
    run("ln", "-s", "kube", join(programs, `kube-${name}`))
  }
  run("ln", "-s", "kube", join(programs, "kubelet"))
  return programs
}

/** A bridge, with this namespace and each node's at it. */
function makeNetwork(): void {
  run("ip", "link", "add", "br0", "type", "bridge")
  run("ip", "addr", "add", `${address(0)}/24`, "dev", "br0")
  run("ip", "link", "set", "br0", "up")
  // Pods of both nodes reach each other, and the API server.
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1")
  for (const node of nodes) {
    const name = `node${node}`
    run("ip", "netns", "add", name)
    run("ip", "link", "add", `v${node}`, "type", "veth", "peer", "name", "eth0", "netns", name)
    run("ip", "link", "set", `v${node}`, "master", "br0", "up")
    run("ip", "-n", name, "addr", "add", `${address(node)}/24`, "dev", "eth0")
    for (const link of ["eth0", "lo"]) run("ip", "-n", name, "link", "set", link, "up")
    run("ip", "-n", name, "route", "add", "default", "via", address(0))
    run("ip", "route", "add", podRange(node), "via", address(node))
  }
}

async function importImages(node: NodeFiles, images: readonly string[]): Promise<void> {
  const ctr = (...words: string[]) =>
    spawnSync("ctr", ["-a", node.socket, "-n", "k8s.io", ...words]).status === 0
  await eventually(`containerd of node ${node.number}`, async () => ctr("version"))
  for (const image of images) {
    if (!ctr("images", "import", image)) throw new Error(`${image} could not be imported.`)
  }
}

async function get(path: string): Promise<string> {
  const { status, stdout } = spawnSync("curl", ["-sk", "-H", bearer, `${apiUrl}${path}`])
  return status === 0 ? stdout.toString() : ""
}

interface NodeList {
  readonly items?: readonly {
    readonly status: { readonly conditions: readonly { type: string; status: string }[] }
  }[]
}

async function readyNodes(): Promise<number> {
  const list = JSON.parse((await get("/api/v1/nodes")) || "{}") as NodeList
  const isReady = ({ type, status }: { type: string; status: string }) =>
    type === "Ready" && status === "True"
  return (list.items ?? []).filter(({ status }) => status.conditions.some(isReady)).length
}
