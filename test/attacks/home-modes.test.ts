import { execFile } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeSmallRoot, pack } from "../images/small-root.ts"

const run = promisify(execFile)
const child = new URL("home-modes-child.ts", import.meta.url).pathname

/**
 * What may be wider than 0700 and 0600, because sandboxes use it: run by root, they are other users. Nobody
 * but the owner may write to any of it, except where it says so.
 */
const exceptions = [
  // The way to their files: they may walk through it, and see nothing.
  { path: /^(\.|bubblewrap|bubblewrap\/[^/]+)$/, most: 0o711 },
  // Programs and settings, which everybody on this machine has as well, and images.
  { path: /^bubblewrap\/shared\/(seccomp\.bpf|(etc-|gnu-)\w+|bin)(\/|$)/, most: 0o755 },
  { path: /^bubblewrap\/images\//, most: 0o755 },
  // A sandbox's exchange with Toolkeep, behind a directory that only the two can enter; some wait to be used.
  { path: /^bubblewrap\/(\w+\/exchange|shared\/pipes\/\w+)$/, most: 0o750 },
  { path: /^bubblewrap\/(\w+\/exchange|shared\/pipes\/\w+)\/[^/]+$/, most: 0o666 },
  // What commands made in their homes, which are closed themselves.
  { path: /^bubblewrap\/(\w+\/home\w*|layers\/\w+)\//, most: 0o777 },
  { path: /^local\/build\//, most: 0o777 },
]

function wider(modes: Readonly<Record<string, string>>): string[] {
  return Object.entries(modes)
    .filter(([path, text]) => {
      const most = exceptions.find((one) => one.path.test(path))?.most ?? 0o700
      return (Number.parseInt(text, 8) & 0o077 & ~most) !== 0
    })
    .map(([path, mode]) => `${mode} ${path}`)
}

/** What another user of this machine gets at: behind a directory that is closed to it there is nothing. */
function reachable(modes: Readonly<Record<string, string>>): string[] {
  const isOpen = (path: string) => (Number.parseInt(modes[path] ?? "0", 8) & 0o001) !== 0
  const parents = (path: string) =>
    path.split("/").map((_, at, all) => all.slice(0, at).join("/") || ".")
  return Object.keys(modes).filter(
    (path) =>
      path !== "." && parents(path).every(isOpen) && Number.parseInt(modes[path] ?? "0", 8) & 0o007,
  )
}

let top: string
let image: string
beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), "toolkeep-modes-"))
  chmodSync(top, 0o755)
  image = await pack(await makeSmallRoot(join(top, "root")), join(top, "small.tar"))
  chmodSync(image, 0o644)
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

const own = process.getuid?.() ?? 0
const users = own === 0 ? [0, 54_321] : [own]

describe.each(users)("of user %i, under an umask that closes nothing", (user) => {
  it("C18, O30: all that is in a home is for its owner alone, also what an older version left open", async () => {
    const parent = join(top, String(user))
    mkdirSync(parent)
    chmodSync(parent, 0o755)
    if (own === 0) chownSync(parent, user, user)
    const { stdout } = await run(
      process.execPath,
      [child, join(parent, "home"), `${user}`, image],
      {
        maxBuffer: 64 * 1024 ** 2,
      },
    )
    const { during, after, repaired } = JSON.parse(stdout)
    for (const name of [
      "token",
      "memory.db",
      "memory.db-wal",
      "record.sqlite",
      "record.sqlite-wal",
      "record.sqlite-shm",
      "mcp/approved.json",
      "local/build",
    ]) {
      expect(Object.keys(during)).toContain(name)
    }
    for (const part of [
      /^artifacts\/walked\/\w+\/content\/a\.txt$/,
      /^memory\/\w+\.db-wal$/,
      /^mcp\/logins\/./,
    ]) {
      expect(Object.keys(during)).toContainEqual(expect.stringMatching(part))
    }
    expect(wider(during)).toEqual([])
    expect(wider(after)).toEqual([])
    expect(wider(repaired)).toEqual([])
    const others = user === 0 ? /^bubblewrap(\/(images|shared|\w+)(\/|$)|$)/ : /^nothing$/
    expect(reachable(during).filter((path) => !others.test(path))).toEqual([])
    expect(reachable(repaired).filter((path) => !others.test(path))).toEqual([])
  })
})
