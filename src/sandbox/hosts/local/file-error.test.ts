import { dirname } from "node:path"
import { expect, it } from "vitest"
import { openLocal } from "../../../../test/support/sandbox/local-fixture.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { fileError } from "./file-error.ts"

it("F18: every system's error has one word of the workspace's", () => {
  const codes = Object.fromEntries(
    ["ENOENT", "EISDIR", "ENOTDIR", "EACCES", "EPERM", "EROFS", "ETXTBSY", "ENOSPC", "EDQUOT"]
      .concat(["EFBIG", "ENAMETOOLONG", "ELOOP", "ENXIO", "ENODEV", "EIO", "EMFILE", "ENOTEMPTY"])
      .map((code) => {
        const cause = Object.assign(new Error(code), { code, errno: -1 })
        const error = fileError(cause, "/work/x")
        expect(error).toMatchObject({ path: "/work/x", cause })
        return [code, error instanceof WorkspaceError ? error.code : null]
      }),
  )
  expect(codes).toEqual({
    ENOENT: "not-found",
    EISDIR: "is-directory",
    ENOTDIR: "not-directory",
    ENOTEMPTY: "not-empty",
    EACCES: "denied",
    EPERM: "denied",
    EROFS: "denied",
    ETXTBSY: "denied",
    ENOSPC: "no-space",
    EDQUOT: "no-space",
    EFBIG: "no-space",
    ENAMETOOLONG: "name-too-long",
    ELOOP: "link-loop",
    ENXIO: "not-file",
    ENODEV: "not-file",
    EIO: "failed",
    EMFILE: "failed",
  })
})

it("F18: an error that is not the system's stays what it is", () => {
  const bug = new TypeError("a bug")
  expect(fileError(bug, "/work/x")).toBe(bug)
})

it("F18: what the user may not do is denied, and changes nothing", async () => {
  await using local = await openLocal()
  const { workspace, directory } = local
  await workspace.exec("mkdir closed && echo secret > closed/file && chmod 0 closed/file closed")
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    // Root may do everything, so this becomes somebody else for a moment.
    await workspace.exec(["chown", "-R", "65534:65534", dirname(directory)])
    process.seteuid?.(65534)
  }
  try {
    const denied = { code: "denied", kind: "execution_error" }
    await expect(workspace.readFile("closed/file")).rejects.toMatchObject(denied)
    await expect(workspace.stat("closed/file")).rejects.toMatchObject(denied)
    await expect(workspace.readdir("closed")).rejects.toMatchObject(denied)
    await expect(workspace.writeFile("closed/new", "x")).rejects.toMatchObject(denied)
  } finally {
    if (isRoot) process.seteuid?.(0)
    await workspace.exec("chmod 700 closed")
  }
  expect(await workspace.readdir("closed")).toEqual([{ name: "file", type: "file" }])
})
