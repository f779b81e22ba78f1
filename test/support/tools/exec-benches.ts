import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { adaptHost, type SandboxApiExec } from "../../../src/sandbox/index.ts"
import { type BenchHost, openBench } from "./tool-bench.ts"

/** Hosts of somebody else's that can do nothing but run commands: over bash, and over BusyBox with nothing beside it. */
export const execBenches: readonly BenchHost[] = [
  benchOver("bash", async () => ({
    shell: ["bash", "--noprofile", "--norc"],
    path: "/usr/bin:/bin",
  })),
  benchOver("busybox", async (directory) => {
    const path = join(directory, "programs")
    await mkdir(path)
    await once(spawn("busybox", ["--install", "-s", path]), "exit")
    return { shell: ["busybox", "sh"], path }
  }),
]

interface Programs {
  readonly shell: readonly [string, ...string[]]
  readonly path: string
}

function benchOver(name: string, install: (directory: string) => Promise<Programs>): BenchHost {
  return {
    host: `${name} without files`,
    async open(options) {
      const directory = await mkdtemp(join(tmpdir(), "toolkeep-exec-"))
      const home = join(directory, "home")
      await mkdir(home)
      const programs = await install(directory)
      const host = adaptHost({
        name,
        summary: "Runs commands.",
        can: { isolation: "none" },
        home,
        create: async () => ({ exec: (command, how) => execute(programs, command, how) }),
      })
      return openBench(host, () => rm(directory, { recursive: true, force: true }), options)
    },
  }
}

async function execute(
  { shell: [program, ...rest], path }: Programs,
  command: string,
  { cwd, env, stdin, signal }: SandboxApiExec,
) {
  const child = spawn(program, [...rest, "-c", command], {
    cwd,
    env: { ...env, PATH: path },
    signal,
  })
  child.stdin.on("error", () => {})
  child.stdin.end(stdin)
  const [stdout, stderr, exitCode] = await Promise.all([
    collect(child, "stdout"),
    collect(child, "stderr"),
    once(child, "close").then(([code]) => Number(code)),
  ])
  return { exitCode, stdout, stderr }
}

async function collect(child: ChildProcess, stream: "stdout" | "stderr"): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of child[stream] ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}
