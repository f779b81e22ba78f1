import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, expect, it, onTestFinished } from "vitest"
import { systemClock } from "../../kit/index.ts"
import { bubblewrapHost } from "../hosts/bubblewrap/bubblewrap-host.ts"
import { createPool } from "./create-pool.ts"

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "toolkeep-moves-"))
  chmodSync(directory, 0o755)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
})

const makeHost = () => bubblewrapHost({ directory: join(directory, "bubblewrap") })
const fileOf = (session: string) => join(directory, session, "sandboxes.json")

function openBoth(host = makeHost()) {
  const open = (name: string) => {
    const pool = createPool(host, { directory: join(directory, name), clock: systemClock })
    onTestFinished(() => pool.destroy())
    return pool
  }
  return { from: open("from"), to: open("to") }
}

const names = (pool: { list(): readonly { readonly name: string }[] }) =>
  pool.list().map(({ name }) => name)

it("R6.moves: a sandbox moves to another pool with its files, while its processes go on, and the first has it no more", async () => {
  const { from, to } = openBoth()
  const workspace = await from.workspace("default")
  await workspace.writeFile("kept.txt", "kept")
  const { id } = await workspace.processes.start("until [ -e go ]; do sleep 0.05; done; echo went")
  expect(await from.moveTo(to)).toEqual(["default"])
  expect([names(from), names(to)]).toEqual([[], ["default"]])
  const moved = await to.workspace("default")
  expect(await moved.readFile("kept.txt")).toBe("kept")
  await moved.writeFile("go", "")
  await moved.processes.wait(id)
  expect((await moved.processes.output(id)).text).toBe("went\n")
  // What the first one makes under the same name is another one.
  expect(await (await from.workspace("default")).exec("ls")).toMatchObject({ stdout: "" })
})

it("R6.moves: what can't move stays where it is", async () => {
  const { from, to } = openBoth()
  await (await from.workspace("default")).writeFile("a.txt", "a")
  await (await to.workspace("default")).writeFile("b.txt", "b")
  await expect(from.moveTo(to)).rejects.toThrow(/default/)
  const elsewhere = createPool(makeHost(), {})
  await expect(from.moveTo(elsewhere)).rejects.toThrow(
    "Sandboxes move only between sessions of one Toolkeep.",
  )
  expect(await (await from.workspace("default")).readFile("a.txt")).toBe("a")
  expect(names(elsewhere)).toEqual([])
})

it("R6.moves: a process that is killed at any moment of a move leaves the sandbox in exactly one of the two", async () => {
  const first = openBoth()
  await (await first.from.workspace("default")).writeFile("kept.txt", "kept")
  await first.to.workspace("other")
  // The files that are written on the way, as a process that ends there leaves them.
  const before = readFileSync(fileOf("from"), "utf8")
  const states: { readonly from: string; readonly to: string }[] = []
  const adopt: typeof first.to.adopt = (handed) =>
    first.to.adopt({
      ...handed,
      release() {
        states.push({ from: before, to: readFileSync(fileOf("to"), "utf8") })
        handed.release()
        states.push({
          from: readFileSync(fileOf("from"), "utf8"),
          to: readFileSync(fileOf("to"), "utf8"),
        })
      },
    })
  await first.from.moveTo({ adopt })
  await first.from.close()
  await first.to.close()
  const found: string[][] = []
  for (const state of states) {
    writeFileSync(fileOf("from"), state.from)
    writeFileSync(fileOf("to"), state.to)
    const { from, to } = openBoth()
    found.push([...names(from).map((one) => `from ${one}`), ...names(to).map((one) => `to ${one}`)])
    const owner = names(from).length > 0 ? from : to
    expect(await (await owner.workspace("default")).readFile("kept.txt")).toBe("kept")
    await from.close()
    await to.close()
  }
  expect(found).toEqual([
    ["from default", "to other"],
    ["to other", "to default"],
  ])
})
