import { execFile } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { isLoader, librariesOf } from "./inject-programs.ts"
import { relocateProgram } from "./relocate-program.ts"

const run = promisify(execFile)

async function findProgram(name: string): Promise<string> {
  return realpath((await run("sh", ["-c", `command -v ${name}`])).stdout.trim())
}

describe("a relocated program", () => {
  it("F10: runs with the loader and the libraries of another place, and tells nobody", async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-relocate-"))
    onTestFinished(() => rm(directory, { recursive: true }))
    const libraries = join(directory, "lib")
    await mkdir(libraries)
    const source = await findProgram("bash")
    const needed = await librariesOf(source)
    for (const path of needed) await copyFile(path, join(libraries, basename(path)))
    const loader = join(libraries, needed.map((path) => basename(path)).find(isLoader) ?? "")
    const relocated = relocateProgram(await readFile(source), { loader, libraries })
    const program = join(directory, "bash")
    await writeFile(program, relocated ?? "", { mode: 0o755 })
    const script =
      "while read -r _ _ _ _ _ file; do echo $file; done </proc/$$/maps; export -p; sh -c 'echo started'"
    const { stdout } = await run(program, ["-c", script], { env: { PATH: process.env.PATH } })
    expect(stdout).toContain("started\n")
    expect(stdout).not.toContain("LD_")
    const used = stdout.split("\n").filter((line) => /^\/.*\.so\b/.test(line))
    expect(new Set(used.map((path) => dirname(path)))).toEqual(new Set([libraries]))
  })

  it("F10: is none of a script, of an empty file, and of one that needs no loader", async () => {
    const parts = { loader: "/loader", libraries: "/libraries" }
    expect(relocateProgram(Buffer.from("#!/bin/sh\n"), parts)).toBeNull()
    expect(relocateProgram(Buffer.of(), parts)).toBeNull()
    expect(relocateProgram(await readFile(await findProgram("busybox")), parts)).toBeNull()
  })
})
