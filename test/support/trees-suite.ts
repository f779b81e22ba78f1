import { expect, it } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { archiveOf, bytesOf, type MadeEntry, streamOf } from "./archive-fixture.ts"

/** Archives that try to leave the directory they are unpacked in, or to bring what is no file. */
const hostile: Readonly<Record<string, readonly MadeEntry[]>> = {
  "a name with ..": [{ name: "../escaped", text: "x" }],
  "a name with .. further down": [{ name: "a/b/../../../escaped", text: "x" }],
  "an absolute name": [{ name: "/tmp/escaped", text: "x" }],
  "a file behind a link of the archive": [
    { name: "out", type: "symlink", linkname: ".." },
    { name: "out/escaped", text: "x" },
  ],
  "a file behind an absolute link": [
    { name: "out", type: "symlink", linkname: "/tmp" },
    { name: "out/escaped", text: "x" },
  ],
  "a directory behind a link": [
    { name: "out", type: "symlink", linkname: ".." },
    { name: "out/escaped/", type: "directory" },
  ],
  "a file behind a chain of links": [
    { name: "a", type: "symlink", linkname: "b" },
    { name: "b", type: "symlink", linkname: ".." },
    { name: "a/escaped", text: "x" },
  ],
  "a hard link to a file outside": [{ name: "escaped", type: "link", linkname: "../outside" }],
  "a hard link through a link": [
    { name: "out", type: "symlink", linkname: ".." },
    { name: "escaped", type: "link", linkname: "out/outside" },
  ],
  "a hard link to an absolute name": [{ name: "escaped", type: "link", linkname: "/etc/passwd" }],
  "a device": [{ name: "escaped", type: "character-device" }],
  "a disk": [{ name: "escaped", type: "block-device" }],
  "a pipe": [{ name: "escaped", type: "fifo" }],
  "a link as the directory itself": [{ name: "./", type: "symlink", linkname: "/tmp" }],
}

/** What trees as streams mean on every host. */
export function provesTrees(current: () => Workspace): void {
  const refused = (work: Promise<unknown>, code: string) =>
    expect(work).rejects.toMatchObject({ name: "WorkspaceError", code })
  const names = async (path: string) =>
    (await current().readdir(path)).map(({ name, type }) => `${name} ${type}`)

  it("R10: a tree goes round with its modes, times, links and odd names", async () => {
    const workspace = current()
    const odd = ["with space", "-rf", "line\nbreak", "ünïcödé 日本😀", "x".repeat(255)]
    for (const name of odd) await workspace.writeFile(`round/sub/${name}`, `content of ${name}`)
    await workspace.writeFile("round/empty", "", { mode: 0o640 })
    await workspace.writeFile("round/big", "0123456789".repeat(50_000))
    await workspace.mkdir(`round/${"d".repeat(200)}/${"e".repeat(200)}`)
    await workspace.exec(
      "cd round && ln -s sub/-rf link && ln -s /etc/passwd absolute && chmod 750 sub",
    )
    await workspace.exec("touch -d '2001-02-03 04:05:06 UTC' round/empty round/sub round")
    await workspace.importTree("back", await workspace.exportTree("round"))
    for (const name of ["empty", "sub", "."]) {
      expect(await workspace.stat(`back/${name}`)).toEqual(await workspace.stat(`round/${name}`))
    }
    expect(await names("back")).toEqual(await names("round"))
    expect(await names("back/sub")).toEqual(odd.toSorted().map((name) => `${name} file`))
    for (const name of odd) {
      expect(await workspace.readFile(`back/sub/${name}`)).toBe(`content of ${name}`)
    }
    expect((await workspace.readFile("back/big")).length).toBe(500_000)
    expect((await workspace.exec("readlink back/link back/absolute")).stdout).toBe(
      "sub/-rf\n/etc/passwd\n",
    )
  })

  it("R10: a file goes round, through a link as well, and takes exactly the place it is given", async () => {
    const workspace = current()
    await workspace.writeFile("single/file", "content", { mode: 0o711 })
    await workspace.exec("ln -s file single/link")
    for (const name of ["file", "link"]) {
      const archive = await workspace.exportTree(`single/${name}`)
      await workspace.importTree(`single/new/${name}`, archive, { as: "file" })
    }
    expect(await names("single/new")).toEqual(["file file", "link file"])
    expect(await workspace.stat("single/new/link")).toMatchObject({ type: "file", mode: 0o711 })
    const again = await archiveOf([{ name: "other", text: "replaced" }])
    await workspace.importTree("single/link", again, { as: "file" })
    expect(await workspace.readFile("single/link")).toBe("replaced")
    expect(await workspace.readFile("single/file")).toBe("content")
  })

  it("R10: an archive is put into what is there, and replaces only what it names", async () => {
    const workspace = current()
    await workspace.writeFile("into/kept", "kept")
    await workspace.writeFile("into/sub/old", "old")
    await workspace.writeFile("into/sub/both", "old")
    await workspace.mkdir("beside")
    await workspace.exec("ln -s ../beside into/link")
    const archive = await archiveOf([
      { name: "sub/both", text: "new" },
      { name: "link/new", text: "new" },
      { name: "same", text: "one" },
      { name: "same", text: "two" },
      { name: "hard", type: "link", linkname: "same" },
    ])
    await workspace.importTree("into", archive)
    expect(await names("into")).toEqual([
      "hard file",
      "kept file",
      "link directory",
      "same file",
      "sub directory",
    ])
    expect(await names("beside")).toEqual([])
    expect(await workspace.readFile("into/sub/old")).toBe("old")
    expect(await workspace.readFile("into/sub/both")).toBe("new")
    expect(await workspace.readFile("into/hard")).toBe("two")
  })

  it.each(Object.entries(hostile))(
    "R10: %s is refused, and nothing of it lands",
    async (_, made) => {
      const workspace = current()
      await workspace.writeFile("hostile/outside", "secret")
      const first = { name: "first", text: "harmless" }
      const before = await names("hostile")
      const archive = await archiveOf([first, ...made])
      await expect(workspace.importTree("hostile/target", archive)).rejects.toMatchObject({
        name: "WorkspaceError",
      })
      expect((await names("hostile")).filter((name) => name !== "target directory")).toEqual(before)
      expect(await workspace.exists("hostile/target/first")).toBe(false)
      expect((await workspace.exec("ls -d /tmp/escaped")).exitCode).not.toBe(0)
      expect(await workspace.readFile("hostile/outside")).toBe("secret")
    },
  )

  it("F18: what is no archive, or half of one, is refused and leaves nothing", async () => {
    const workspace = current()
    const archive = await bytesOf(await archiveOf([{ name: "file", text: "x".repeat(5_000) }]))
    const broken = {
      nothing: new Uint8Array(),
      text: new TextEncoder().encode("no archive\n".repeat(200)),
      half: archive.slice(0, 2_000),
    }
    for (const [name, bytes] of Object.entries(broken)) {
      await refused(workspace.importTree(`broken/${name}`, streamOf(bytes)), "failed")
      expect(await workspace.exists(`broken/${name}/file`)).toBe(false)
    }
  })

  it("F18: trees and files that can't be there are refused in the words of every host", async () => {
    const workspace = current()
    await workspace.writeFile("words/directory/file", "")
    const archive = () => archiveOf([{ name: "one", text: "1" }])
    await refused(workspace.exportTree("words/missing"), "not-found")
    await refused(workspace.importTree("words/directory/file", await archive()), "not-directory")
    await refused(
      workspace.importTree("words/directory", await archive(), { as: "file" }),
      "is-directory",
    )
    for (const entries of [
      [{ name: "one" }, { name: "two" }],
      [{ name: "deep/one" }],
      [{ name: "one", type: "symlink", linkname: "x" } as const],
      [{ name: "one/", type: "directory" } as const],
    ]) {
      const work = workspace.importTree("words/one", await archiveOf(entries), { as: "file" })
      await refused(work, "not-file")
    }
    expect(await names("words")).toEqual(["directory directory"])
  })

  it("F11: an import that is aborted rejects with the reason, ends the stream and leaves nothing", async () => {
    const workspace = current()
    const archive = await bytesOf(await archiveOf([{ name: "file", text: "x".repeat(100_000) }]))
    const ended = Promise.withResolvers<unknown>()
    const controller = new AbortController()
    const slow = new ReadableStream<Uint8Array>({
      start: (sender) => sender.enqueue(archive.slice(0, 50_000)),
      cancel: ended.resolve,
    })
    const importing = workspace.importTree("aborted", slow, { signal: controller.signal })
    setTimeout(() => controller.abort("enough"), 20)
    await expect(importing).rejects.toBe("enough")
    await ended.promise
    expect(await workspace.exists("aborted/file")).toBe(false)
    const hidden = (await names(".")).filter((name) => name.startsWith(".toolkeep-"))
    expect(hidden).toEqual([])
  })

  it("F11: an export can be cancelled in the middle, or aborted", async () => {
    const workspace = current()
    for (const name of ["a", "b"])
      await workspace.writeFile(`large/${name}`, new Uint8Array(400_000))
    const cancelled = (await workspace.exportTree("large")).getReader()
    expect((await cancelled.read()).done).toBe(false)
    await cancelled.cancel()
    const controller = new AbortController()
    const aborted = workspace.exportTree("large", { signal: controller.signal })
    controller.abort("enough")
    await expect(aborted.then(bytesOf)).rejects.toBe("enough")
    await workspace.remove("large", { recursive: true })
  })
}
