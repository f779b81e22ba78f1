import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { SandboxManager } from "@anthropic-ai/sandbox-runtime"
import { rgPath } from "@vscode/ripgrep"
import { plainSpawn } from "../harness/plain-spawn.ts"
import type { Peer } from "./peer.ts"

type Start = (command: string) => Promise<ChildProcess>

/** A peer whose sandboxes end with their command. One that stays has a command that does. */
function oneForEachCommand(wall: string, start: Start): Peer {
  async function exec() {
    const child = await start("true")
    const [code] = await once(child, "close")
    if (code !== 0) throw new Error(`true exited with ${code} behind ${wall}.`)
  }
  return {
    wall,
    exec,
    async createAndRun() {
      await exec()
      return async () => {}
    },
    async hold() {
      const child = await start("echo started; exec sleep 1000")
      const closed = once(child, "close")
      const ended = closed.then(() => Promise.reject(new Error(`sleep ended behind ${wall}.`)))
      await Promise.race([child.stdout && once(child.stdout, "data"), ended])
      return async () => {
        ended.catch(() => {})
        killGroup(child)
        await closed
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** With all that it has started: wrappers leave their command behind. */
function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGKILL")
}

export function openPlainSpawn(): Peer {
  const start: Start = async (command) => spawn("bash", ["-c", command], { detached: true })
  return { ...oneForEachCommand("nothing", start), exec: plainSpawn }
}

const bwrapArguments = [
  ...["--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr"],
  ...["bin", "sbin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
  ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/home/user"],
]

/** As its manual shows it, with this machine's programs and no network. */
export async function openBwrap(): Promise<Peer> {
  const start: Start = async (command) =>
    spawn("bwrap", [...bwrapArguments, "bash", "-c", command], { detached: true })
  return started(oneForEachCommand("namespaces", start))
}

/** The library, whose proxies are started once for a process. */
export async function openSandboxRuntime(): Promise<Peer> {
  await SandboxManager.initialize({
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: ["/tmp"], denyWrite: [] },
    ripgrep: { command: rgPath },
  })
  const start: Start = async (command) =>
    spawn(await SandboxManager.wrapWithSandbox(command), { shell: true, detached: true })
  return started({
    ...oneForEachCommand("namespaces, seccomp", start),
    [Symbol.asyncDispose]: () => SandboxManager.reset(),
  })
}

/** One that can't run a command here is refused now. */
async function started(peer: Peer): Promise<Peer> {
  await peer.exec()
  return peer
}
