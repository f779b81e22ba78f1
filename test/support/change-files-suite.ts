import { expect, it } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"

/** What making, removing, moving and copying files means on every host. */
export function provesFileChanges(current: () => Workspace): void {
  const refused = (work: Promise<unknown>, code: string) =>
    expect(work).rejects.toMatchObject({ name: "WorkspaceError", code })
  const names = async (path: string) =>
    (await current().readdir(path)).map(({ name, type }) => `${name} ${type}`)

  it("F10: makes a directory with those above it, and one that is there is fine", async () => {
    const workspace = current()
    await workspace.mkdir("made/a/b", { mode: 0o750 })
    await workspace.mkdir("made/a/b", { mode: 0o700 })
    await workspace.mkdir("made/a")
    expect(await workspace.stat("made/a/b")).toMatchObject({ type: "directory", mode: 0o750 })
    await workspace.exec("ln -s a made/link")
    await workspace.mkdir("made/link")
    await workspace.mkdir("made/link/c")
    expect(await names("made/a")).toEqual(["b directory", "c directory"])
  })

  it("F18: no directory is made of a file, of what is below one, or of a link to nothing", async () => {
    const workspace = current()
    await workspace.writeFile("plain/file", "kept")
    await workspace.exec("ln -s nowhere plain/dangling")
    await refused(workspace.mkdir("plain/file"), "not-directory")
    await refused(workspace.mkdir("plain/file/below"), "not-directory")
    await refused(workspace.mkdir("plain/dangling"), "not-directory")
    await refused(workspace.mkdir(`plain/${"n".repeat(256)}`), "name-too-long")
    expect(await workspace.readFile("plain/file")).toBe("kept")
  })

  it("F10: removes files, empty directories, and full ones only when that is asked", async () => {
    const workspace = current()
    await workspace.writeFile("gone/full/deep/file", "x")
    await workspace.mkdir("gone/empty")
    await workspace.writeFile("gone/-rf", "x")
    await refused(workspace.remove("gone/full"), "not-empty")
    await workspace.remove("gone/empty")
    await workspace.remove("gone/-rf")
    expect(await names("gone")).toEqual(["full directory"])
    await workspace.remove("gone/full", { recursive: true })
    expect(await names("gone")).toEqual([])
    await refused(workspace.remove("gone/full"), "not-found")
    await refused(workspace.remove("gone/full", { recursive: true }), "not-found")
    await refused(workspace.remove("gone/no/such"), "not-found")
  })

  it("F18: a link is removed and never what it leads to, alone or inside a tree", async () => {
    const workspace = current()
    await workspace.writeFile("target/kept", "kept")
    await workspace.exec("mkdir tree && ln -s ../target tree/link && ln -s target alone")
    await workspace.exec("ln -s nowhere dangling")
    await workspace.remove("alone", { recursive: true })
    await workspace.remove("dangling")
    await workspace.remove("tree", { recursive: true })
    expect(await workspace.readFile("target/kept")).toBe("kept")
    expect(await workspace.exists("tree")).toBe(false)
    await refused(workspace.remove("alone"), "not-found")
  })

  it("F10: a move takes the place of a file, makes the directories above, and keeps links links", async () => {
    const workspace = current()
    await workspace.writeFile("move/one", "1", { mode: 0o600 })
    await workspace.writeFile("move/two", "2")
    await workspace.rename("move/one", "move/new/place/one")
    await workspace.rename("move/two", "move/new/place/one")
    expect(await workspace.readFile("move/new/place/one")).toBe("2")
    await workspace.exec("ln -s new/place/one move/link")
    await workspace.rename("move/link", "move/renamed")
    await workspace.rename("move/new", "move/newer")
    expect(await names("move")).toEqual(["newer directory", "renamed symlink"])
  })

  it("F10: what is moved or copied to a link takes its place and not its target's", async () => {
    const workspace = current()
    await workspace.exec(
      "mkdir -p links/target && cd links && ln -s target one && ln -s target two",
    )
    await workspace.writeFile("links/file", "x")
    await workspace.copy("links/file", "links/one")
    await workspace.rename("links/file", "links/two")
    expect(await names("links")).toEqual(["one file", "target directory", "two file"])
    expect(await names("links/target")).toEqual([])
  })

  it("F18: neither a move nor a copy replaces a directory, or puts a directory over a file", async () => {
    const workspace = current()
    await workspace.writeFile("stay/directory/file", "kept")
    await workspace.writeFile("stay/file", "kept too")
    for (const change of [workspace.rename, workspace.copy]) {
      await refused(change("stay/file", "stay/directory"), "is-directory")
      await refused(change("stay/directory", "stay/directory"), "is-directory")
      await refused(change("stay/directory", "stay/file"), "not-directory")
      await refused(change("stay/file", "stay/file/below"), "not-directory")
      await refused(change("stay/missing", "stay/other"), "not-found")
      await refused(change("stay/file/below", "stay/other"), "not-found")
      await refused(change("stay/directory", "stay/directory/into/itself"), "into-itself")
    }
    await refused(workspace.rename("stay/file", "stay/file"), "failed")
    expect(await workspace.readFile("stay/directory/file")).toBe("kept")
    expect(await workspace.readFile("stay/file")).toBe("kept too")
    expect((await names("stay")).filter((name) => name.startsWith("."))).toEqual([])
  })

  it("F10: a copy of a tree has its permissions, times and links, and is a tree of its own", async () => {
    const workspace = current()
    await workspace.writeFile("from/sub/script", "#!", { mode: 0o750 })
    await workspace.exec(
      "cd from && ln -s sub/script link && ln -s nowhere dangling && chmod 555 sub",
    )
    await workspace.exec("touch -d '2001-02-03 04:05:06 UTC' from/sub/script from/sub from")
    const times = ["sub/script", "sub", "."]
    await workspace.copy("from", "copies/of/it")
    for (const name of times) {
      expect(await workspace.stat(`copies/of/it/${name}`)).toEqual(
        await workspace.stat(`from/${name}`),
      )
    }
    expect((await workspace.stat("copies/of/it/sub/script")).modifiedMs).toBe(981_173_106_000)
    expect(await names("copies/of/it")).toEqual([
      "dangling symlink",
      "link symlink",
      "sub directory",
    ])
    await workspace.writeFile("copies/of/it/link", "changed")
    expect(await workspace.readFile("from/sub/script")).toBe("#!")
    await workspace.copy("from/link", "copies/link")
    expect(await names("copies")).toEqual(["link symlink", "of directory"])
    await workspace.exec("chmod 755 from/sub copies/of/it/sub")
  })

  it("F11: an aborted signal changes nothing", async () => {
    const workspace = current()
    await workspace.writeFile("same", "same")
    const signal = AbortSignal.abort("enough")
    await expect(workspace.remove("same", { signal })).rejects.toBe("enough")
    await expect(workspace.rename("same", "other", { signal })).rejects.toBe("enough")
    expect(await workspace.readFile("same")).toBe("same")
  })
}
