import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, localBench, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"
import { limits, type Workspace } from "../../../contract/index.ts"
import { fileLimits } from "../../limits.ts"
import { findLine } from "./find-line.ts"

const wide = "x".repeat(limits.chunkBytes + 10)
const many = Array.from({ length: 40_000 }, (_, at) => `line ${at + 1}\n`).join("")
const { signal } = new AbortController()

describe.each(benches)("a line of a big file on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    await bench.workspace.writeFile("a b'c\n.txt", many)
    await bench.workspace.writeFile("open-end", `${many}last`)
    await bench.workspace.writeFile("wide", `${wide}\nsecond\n${many}`)
    await bench.workspace.writeFile("blank", "\n".repeat(fileLimits.nearBytes + 1))
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  async function find(name: string, line: number) {
    const path = `${bench.workspace.cwd}/${name}`
    const { size } = await bench.workspace.stat(path)
    return findLine({ workspace: bench.workspace, path, size, signal }, line)
  }

  it("F3, O5: is found near and far", async () => {
    expect(await find("a b'c\n.txt", 2)).toEqual({ kind: "found", offset: 7 })
    for (const line of [6_000, 30_001, 40_000]) {
      const offset = many.indexOf(`line ${line}\n`)
      expect(await find("a b'c\n.txt", line)).toEqual({ kind: "found", offset })
    }
    expect(await find("open-end", 40_001)).toEqual({ kind: "found", offset: many.length })
    expect(await find("wide", 3)).toEqual({ kind: "found", offset: wide.length + 8 })
    const last = fileLimits.nearBytes + 1
    expect(await find("blank", last)).toEqual({ kind: "found", offset: last - 1 })
  })

  it("F3, O5: past the end, the answer is how many there are", async () => {
    const pastEnd = (totalLines: number) => ({ kind: "past-end", totalLines })
    expect(await find("a b'c\n.txt", 40_001)).toEqual(pastEnd(40_000))
    expect(await find("open-end", 40_002)).toEqual(pastEnd(40_001))
    expect(await find("open-end", Number.MAX_SAFE_INTEGER)).toEqual(pastEnd(40_001))
    expect(await find("blank", 1_000_000)).toEqual(pastEnd(fileLimits.nearBytes + 1))
  })
})

it("F3: programs inside that can't say where a line starts are not believed", async () => {
  await using bench = await localBench.open()
  await bench.workspace.writeFile("many", many)
  const path = `${bench.workspace.cwd}/many`
  for (const command of ["echo 64 4096", "echo none", "exit 1"]) {
    const workspace: Workspace = {
      ...bench.workspace,
      exec: (_, options) => bench.workspace.exec(command, options),
    }
    const source = { workspace, path, size: many.length, signal }
    const offset = many.indexOf("line 30000\n")
    expect(await findLine(source, 30_000)).toEqual({ kind: "found", offset })
  }
})
