import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A directory for one test that sandboxes can walk to. */
export function openMcpFixture(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-faults-"))
  chmodSync(directory, 0o755)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** How many processes of this machine have the text in their command line, zombies not counted. */
export function countProcesses(text: string): number {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(text))
    .length
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** The control groups of sandboxes that are in this directory. */
export function controlGroups(directory: string): readonly string[] {
  const own = new Set(existsSync(directory) ? readdirSync(directory) : [])
  const roots = ["memory", "pids", "cpu", ""].map((name) =>
    join("/sys/fs/cgroup", name, "toolkeep"),
  )
  return roots
    .filter(existsSync)
    .flatMap((root) => readdirSync(root))
    .filter((name) => own.has(name))
}

/** Another Toolkeep, killed with SIGKILL as soon as it has printed something. */
export async function killOnceReady(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  await once(child.stdout, "data")
  child.kill("SIGKILL")
  await once(child, "exit")
}
