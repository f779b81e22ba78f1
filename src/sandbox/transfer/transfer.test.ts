import { describe, expect, it, onTestFinished } from "vitest"
import { openLocal } from "../../../test/support/sandbox/local-fixture.ts"
import { openPool } from "../../../test/support/sandbox/pool-fixture.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { createWorkspace } from "../workspace/create-workspace.ts"
import { transfer } from "./transfer.ts"

const makeTree = `mkdir -p tree/empty tree/deep/er
printf one > tree/one.txt; printf 'twenty-two' > "tree/deep/er/odd  näme"
chmod 750 tree/deep; chmod 4711 tree/one.txt; ln -s ../one.txt tree/deep/link; ln tree/one.txt tree/hard`

const describeTree = `cd copy && find . | LC_ALL=C sort | while IFS= read -r name; do
  stat -c '%A %n' "$name"; done; readlink deep/link; cat one.txt "deep/er/odd  näme"`

describe("transfer", () => {
  it("C9.tree, C9.bytes: copies a tree with modes and links from one sandbox to another, and counts its bytes", async () => {
    await using opened = openPool()
    const { pool } = opened
    const [one, two] = [await pool.workspace("one"), await pool.workspace("two")]
    await one.exec(makeTree)
    const from = { sandbox: "one", path: "tree" }
    const moved = await pool.transfer(from, { sandbox: "two", path: "copy" }, { recursive: true })
    expect(moved).toEqual({ bytes: "one".length + "twenty-two".length })
    await one.rename("tree", "copy")
    const [there, here] = [await two.exec(describeTree), await one.exec(describeTree)]
    expect(there.stdout).toBe(here.stdout)
    expect(there.stdout).toContain("-rws--x--x ./one.txt\n")
    expect((await two.exec("stat -c %h copy/one.txt")).stdout).toBe("2\n")
  })

  it("C9.file: a file lands at exactly the path that was said", async () => {
    await using opened = openPool()
    const { pool } = opened
    const [one, two] = [await pool.workspace("one"), await pool.workspace("two")]
    await one.writeFile("script.sh", "echo hi", { mode: 0o755 })
    const from = { sandbox: "one", path: "script.sh" }
    expect(await pool.transfer(from, { sandbox: "two", path: "bin/run" })).toEqual({ bytes: 7 })
    expect(await two.stat("bin/run")).toMatchObject({ type: "file", size: 7, mode: 0o755 })

    await two.mkdir("directory")
    const onto = pool.transfer(from, { sandbox: "two", path: "directory" })
    await expect(onto).rejects.toMatchObject({ code: "is-directory" })
    expect(await two.readdir("directory")).toEqual([])
  })

  it("C9.host: works between any two hosts", async () => {
    await using opened = openPool()
    await using local = await openLocal()
    const bubblewrap = await opened.host.create({ name: "bubblewrap" })
    const memory = await memoryHost().create({ name: "memory" })
    onTestFinished(async () => {
      await memory.destroy()
    })
    const places = [bubblewrap, local.sandbox, memory]
    const first = createWorkspace(bubblewrap)
    await first.writeFile("round/a.txt", "around the world")
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 0],
    ] as const) {
      const [source, target] = [places[from], places[to]]
      if (!source || !target) throw new Error("There are three places.")
      const path = `round${from === 0 ? "" : from}`
      const moved = await transfer(
        { sandbox: source, path },
        { sandbox: target, path: `round${to === 0 ? 3 : to}` },
        { recursive: true },
      )
      expect(moved).toEqual({ bytes: 16 })
    }
    expect(await first.readFile("round3/a.txt")).toBe("around the world")
    await bubblewrap.destroy()
  })

  it("C9: refuses what is not there, a directory by accident, and a directory into itself", async () => {
    await using opened = openPool()
    const { pool } = opened
    await (await pool.workspace("one")).writeFile("tree/a.txt", "a")
    await pool.workspace("two")
    const to = { sandbox: "two", path: "copy" }
    const attempt = (path: string, target = to, recursive = false) =>
      pool.transfer({ sandbox: "one", path }, target, { recursive })
    await expect(attempt("nothing")).rejects.toMatchObject({ kind: "not_found" })
    await expect(attempt("tree")).rejects.toMatchObject({ field: "recursive" })
    const inside = { sandbox: "one", path: "tree/copy" }
    await expect(attempt("tree", inside, true)).rejects.toMatchObject({ field: "to_path" })
    const nowhere = { sandbox: "three", path: "x" }
    await expect(attempt("tree", nowhere, true)).rejects.toMatchObject({ kind: "not_found" })
  })

  it("C9: can be aborted, and both sandboxes go on", async () => {
    await using opened = openPool()
    const { pool } = opened
    const [one, two] = [await pool.workspace("one"), await pool.workspace("two")]
    await one.exec("mkdir big; truncate -s 2G big/file")
    const stop = new AbortController()
    const running = pool.transfer(
      { sandbox: "one", path: "big" },
      { sandbox: "two", path: "big" },
      { recursive: true, signal: stop.signal },
    )
    setTimeout(() => stop.abort(new Error("enough")), 30)
    await expect(running).rejects.toThrow("enough")
    for (const workspace of [one, two]) {
      const left = () => workspace.exec("echo on; ps ax | grep -c '[t]ar -C'")
      await expect.poll(async () => (await left()).stdout).toBe("on\n0\n")
    }
  })
})
