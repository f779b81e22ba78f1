import { readdirSync, readFileSync, rmSync } from "node:fs"
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Workspace } from "../../../src/contract/index.ts"
import type { Sandbox } from "../../../src/sandbox/host/host.ts"
import { type LocalHostOptions, localHost } from "../../../src/sandbox/hosts/local/local-host.ts"
import { createWorkspace } from "../../../src/sandbox/workspace/create-workspace.ts"

/** A sandbox for one test in a directory of its own, with a directory beside it that is outside. */
export interface LocalFixture extends AsyncDisposable {
  readonly workspace: Workspace
  readonly sandbox: Sandbox
  readonly directory: string
  readonly outside: string
}

/** A test that hangs or is ended disposes of nothing: what is left goes with its process. */
const leftBehind = new Set<string>()
process.once("exit", () => {
  for (const base of leftBehind) rmSync(base, { recursive: true, force: true })
})

export async function openLocal(options: Partial<LocalHostOptions> = {}): Promise<LocalFixture> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "local-host-test-")))
  leftBehind.add(base)
  const directory = join(base, "work")
  const outside = join(base, "outside")
  await mkdir(outside)
  const sandbox = await localHost({ directoryFor: () => directory, ...options }).create({
    name: "default",
  })
  return {
    workspace: createWorkspace(sandbox),
    sandbox,
    directory,
    outside,
    async [Symbol.asyncDispose]() {
      try {
        await sandbox.destroy()
      } finally {
        await rm(base, { recursive: true, force: true })
        leftBehind.delete(base)
      }
    },
  }
}

/** Commands of this machine's processes whose environment holds the text, found the slow way. */
export function processesWith(text: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readText(`/proc/${name}/environ`).includes(text))
    .map((pid) => readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim())
}

/** The id that every process of the sandbox carries. */
export async function markOf(workspace: Workspace): Promise<string> {
  const { stdout } = await workspace.exec("printf %s $TOOLKEEP_SANDBOX")
  return stdout.split(":").at(-2) ?? ""
}

export async function until(isTrue: () => boolean | Promise<boolean>, atMostMs = 60_000) {
  const started = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - started > atMostMs) throw new Error("It did not come true in time.")
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export async function timed<Result>(
  work: Promise<Result>,
): Promise<{ result: Result; ms: number }> {
  const started = performance.now()
  const result = await work
  return { result, ms: performance.now() - started }
}

export async function isWritten({ directory }: LocalFixture, name: string): Promise<boolean> {
  return readFile(join(directory, name)).then(
    () => true,
    () => false,
  )
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}
