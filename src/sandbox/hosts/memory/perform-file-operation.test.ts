import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Workspace } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { memoryHost } from "./memory-host.ts"

let sandbox: Sandbox
let workspace: Workspace

beforeAll(async () => {
  sandbox = await memoryHost({ diskBytes: 4 * 1024 * 1024 }).create({ name: "default" })
  workspace = createWorkspace(sandbox)
  await workspace.writeFile("dir/file", "content")
  await workspace.exec(
    "ln -s loop loop; ln -s dir/file link; ln -s dir linked; ln -s nowhere broken",
  )
})

afterAll(() => sandbox.destroy())

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    (error) => `${error.code} ${error.path}`,
  )

describe("errors", () => {
  const long = "x".repeat(256)
  const deep = "d/".repeat(2500)

  it.each([
    ["not-found", "missing", "/home/user/missing"],
    ["not-found", "broken", "/home/user/broken"],
    ["not-found", "no/such/dir/file", "/home/user/no/such/dir/file"],
    ["is-directory", "dir", "/home/user/dir"],
    ["is-directory", "linked", "/home/user/linked"],
    ["not-directory", "dir/file/below", "/home/user/dir/file/below"],
    ["link-loop", "loop", "/home/user/loop"],
    ["link-loop", "loop/x", "/home/user/loop/x"],
    ["name-too-long", long, `/home/user/${long}`],
    ["name-too-long", deep, `/home/user/${deep.slice(0, -1)}`],
    ["not-file", "/dev/null", "/dev/null"],
  ])("F18: reading gives %s for %.40s", async (code, path, absolute) => {
    expect(await codeOf(workspace.readFile(path))).toBe(`${code} ${absolute}`)
  })

  it.each([
    ["is-directory", "dir"],
    ["is-directory", "/"],
    ["not-directory", "dir/file/below"],
    ["not-directory", "link/below/more"],
    ["link-loop", "loop"],
    ["name-too-long", `new/${long}`],
    ["denied", "/bin/tool"],
    ["denied", "/new-at-the-root"],
    ["denied", "/usr/new/file"],
    ["not-file", "/dev/null"],
  ])("F18: writing gives %s for %.40s", async (code, path) => {
    // A directory on the way to a name that turns out too long may be new, as on a real disk.
    const everything = "find / | grep -v /home/user/new | sort"
    const before = (await workspace.exec(everything)).stdout
    expect((await codeOf(workspace.writeFile(path, "x"))).split(" ")[0]).toBe(code)
    expect((await workspace.exec(everything)).stdout).toBe(before)
  })

  it("F18: listing and stat tell files from directories", async () => {
    expect(await codeOf(workspace.readdir("dir/file"))).toBe("not-directory /home/user/dir/file")
    expect(await codeOf(workspace.readdir("missing"))).toBe("not-found /home/user/missing")
    expect(await codeOf(workspace.stat("dir/file/x"))).toBe("not-directory /home/user/dir/file/x")
    expect(await workspace.exists("dir/file/x")).toBe(false)
    expect(await workspace.exists("linked/file")).toBe(true)
    await expect(workspace.readFile("a\0b")).rejects.toMatchObject({ kind: "invalid_args" })
  })

  it("F18: what the owner may not read or write is denied", async () => {
    await workspace.writeFile("secret", "x", { mode: 0o000 })
    expect(await codeOf(workspace.readFile("secret"))).toBe("denied /home/user/secret")
    expect(await codeOf(workspace.writeFile("secret", "y"))).toBe("denied /home/user/secret")
    await workspace.exec("mkdir locked; echo x > locked/x; chmod 000 locked")
    expect(await codeOf(workspace.readFile("locked/x"))).toBe("denied /home/user/locked/x")
    expect(await codeOf(workspace.readdir("locked"))).toBe("denied /home/user/locked")
    await workspace.exec("chmod 755 locked; rm -r locked secret")
  })
})

describe("reading", () => {
  it("F10: takes a range, which may lie beyond the end", async () => {
    await workspace.writeFile("range", "0123456789")
    const read = (offset: number, length?: number) =>
      workspace.readFile("range", { offset, length })
    expect(
      await Promise.all([read(0), read(3), read(3, 2), read(8, 99), read(10), read(99, 5)]),
    ).toEqual(["0123456789", "3456789", "34", "89", "", ""])
    expect(await read(2, 0)).toBe("")
  })

  it("F10: gives a copy that later changes don't reach", async () => {
    const data = new Uint8Array([1, 2, 3])
    await workspace.writeFile("bytes", data)
    data[0] = 9
    const read = await workspace.readFileBuffer("bytes")
    await workspace.writeFile("bytes", new Uint8Array([7]), { append: true })
    await workspace.exec("printf x > bytes")
    expect(read).toEqual(new Uint8Array([1, 2, 3]))
    read[0] = 8
    expect(await workspace.readFile("bytes")).toBe("x")
  })
})

describe("writing", () => {
  it("F10: makes missing directories, appends, follows links, keeps an existing file's mode", async () => {
    await workspace.writeFile("made/on/the/way", "1", { mode: 0o750 })
    await workspace.writeFile("made/on/the/way", "2", { append: true, mode: 0o600 })
    expect(await workspace.readFile("made/on/the/way")).toBe("12")
    const { stdout } = await workspace.exec("stat -c '%a %s %F' made/on/the/way made/on")
    expect(stdout).toBe("750 2 regular file\n755 0 directory\n")
    await workspace.writeFile("link", "through the link")
    expect(await workspace.readFile("dir/file")).toBe("through the link")
    await workspace.writeFile("broken", "made")
    expect(await workspace.readFile("nowhere")).toBe("made")
    expect((await workspace.exec("readlink link broken")).stdout).toBe("dir/file\nnowhere\n")
  })

  it("F10: is never seen half done", async () => {
    const whole = ["a".repeat(300_000), "b".repeat(200_000)]
    await workspace.writeFile("atomic", whole[0] ?? "")
    let stop = false
    const writer = (async () => {
      for (let at = 0; !stop; at += 1) {
        await workspace.writeFile("atomic", whole[at % 2] ?? "")
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const script = "for i in 1 2 3 4 5 6 7 8; do md5sum < atomic; done | sort -u | wc -l"
    expect(Number((await workspace.exec(script)).stdout)).toBeLessThanOrEqual(2)
    for (let at = 0; at < 50; at += 1) {
      const seen = await workspace.readFile("atomic")
      expect(whole.includes(seen)).toBe(true)
    }
    stop = true
    await writer
  })

  it("O30: beyond the disk's size is refused, changes nothing, and can be freed again", async () => {
    const big = new Uint8Array(3 * 1024 * 1024)
    await workspace.writeFile("big", big)
    expect(await codeOf(workspace.writeFile("more", big))).toBe("no-space /home/user/more")
    expect(await workspace.exists("more")).toBe(false)
    expect(await codeOf(workspace.writeFile("big", big, { append: true }))).toBe(
      "no-space /home/user/big",
    )
    expect((await workspace.stat("big")).size).toBe(big.length)
    const { stdout, stderr, exitCode } = await workspace.exec(
      "echo before; cat big > more; echo after",
    )
    expect([stdout, exitCode]).toEqual(["before\n", 126])
    expect(stderr).toBe("bash: ENOSPC: no space left on device\n")
    await workspace.exec("rm big more")
    await workspace.writeFile("more", big)
    await workspace.exec("rm more")
  })

  it("O30: many empty files are not free", async () => {
    const tiny = await memoryHost({ diskBytes: 100_000 }).create({ name: "tiny" })
    const files = createWorkspace(tiny)
    let made = 0
    while ((await codeOf(files.writeFile(`f${made}`, ""))) === "no error") made += 1
    expect(made).toBeGreaterThan(50)
    expect(made).toBeLessThan(200)
    await tiny.destroy()
  })
})

describe("stat and listing", () => {
  it("F10: describe files, and stat follows links", async () => {
    await workspace.writeFile("described", "12345", { mode: 0o640 })
    const { modifiedMs, ...rest } = await workspace.stat("described")
    expect(rest).toEqual({ type: "file", size: 5, mode: 0o640 })
    expect(Math.abs(Date.now() - modifiedMs)).toBeLessThan(60_000)
    expect((await workspace.stat("linked")).type).toBe("directory")
    expect((await workspace.stat("/dev/null")).type).toBe("other")
    await workspace.exec("chmod 4711 described; touch -d 2001-02-03T04:05:06Z described")
    expect(await workspace.stat("described")).toEqual({
      type: "file",
      size: 5,
      mode: 0o4711,
      modifiedMs: Date.parse("2001-02-03T04:05:06Z"),
    })
  })

  it("F10: entries are sorted by code unit, limited, and have their own type", async () => {
    await workspace.exec("mkdir list; cd list; touch b a B _ é 10 9 😀 ﬁ; mkdir d; ln -s nowhere l")
    const names = ["10", "9", "B", "_", "a", "b", "d", "l", "é", "😀", "ﬁ"]
    const types: Record<string, string> = { d: "directory", l: "symlink" }
    const all = names.map((name) => ({ name, type: types[name] ?? "file" }))
    expect(await workspace.readdir("list")).toEqual(all)
    expect(await workspace.readdir("list", { limit: 3 })).toEqual(all.slice(0, 3))
    expect(await workspace.readdir("list", { limit: 0 })).toEqual([])
  })

  it("F18: links never lead out of the virtual file system", async () => {
    const script =
      "ln -s /etc/passwd p; ln -s ../../../../../../../../etc e; ln -s / root; cat p; ls e; ls root"
    const { stdout } = await workspace.exec(script)
    expect(stdout).toBe("bin\ndev\nhome\ntmp\nusr\n")
    expect(await codeOf(workspace.readFile("p"))).toBe("not-found /home/user/p")
    expect(await codeOf(workspace.readFile("e/passwd"))).toBe("not-found /home/user/e/passwd")
  })
})
