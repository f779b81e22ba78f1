import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openToolkeep, toolkeepHome } from "../../src/session/index.ts"
import { attackMounts } from "./mount-attacks.ts"
import { asOrdinaryUser, makePlaces } from "./ordinary-user.ts"

const lies = (inner: string) =>
  `${inner} lies in /project, which commands may change. Show only the outer one, or show both to be read.`
const named = "named\nwhat was named\n"
const holdsImage = (path: string, name: string) =>
  `${path} holds the image "${name}", which commands may not change. Show it to be read only, or keep the image elsewhere.`

const expected = {
  nested: {
    "a root in a writable one": lies("/project/sub"),
    "a root that is only read in a writable one": lies("/project/sub"),
    "a root behind a link in a writable one": lies("/other"),
    "the same root to be read and to be written": lies("/project"),
    "a root in one that is only read": "made",
    "a writable root in which an image is to be": holdsImage("/project", "tar"),
    "a writable root that is an image": [
      holdsImage("/project", "tar"),
      holdsImage("/other", "tree"),
      "made",
    ],
  },
  killed: "The sandbox's own process ended while the command ran; it is started again.",
  seen: [
    named,
    "/project/sub is no longer the directory that was to be shown at /mnt/sub. Put it back, or make another sandbox.",
    named,
  ],
  planted: '"/project/sub" is not a directory of this machine.',
  raced: [],
  isUntouched: true,
}

it("C18: a directory is shown only as long as it is the one that was named, whatever commands put in its place", async () => {
  expect(await attackMounts(makePlaces())).toEqual(expected)
}, 120_000)

it("C18: and so it is where Toolkeep is run by an ordinary user", async () => {
  const module = import.meta.resolve("./mount-attacks.ts")
  expect(await asOrdinaryUser([module, "attackMounts"], makePlaces())).toEqual(expected)
}, 120_000)

it("C18: nothing of Toolkeep's home is shown, whether its path is absolute or relative", async () => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-own-"))
  chmodSync(directory, 0o755)
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const home = join(directory, "home")
  const before = process.env.TOOLKEEP_HOME
  onTestFinished(() => {
    if (before === undefined) delete process.env.TOOLKEEP_HOME
    else process.env.TOOLKEEP_HOME = before
  })
  process.env.TOOLKEEP_HOME = relative(process.cwd(), home)
  expect(toolkeepHome()).toBe(home)
  for (const path of [home, relative(process.cwd(), home), undefined]) {
    await using keep = await openToolkeep({ host: "bubblewrap", ...(path && { home: path }) })
    const { sandboxes } = keep.session()
    mkdirSync(join(home, "artifacts"), { recursive: true })
    for (const source of [directory, home, join(home, "artifacts"), join(home, "bubblewrap")]) {
      for (const writable of [true, false]) {
        const mounts = [{ source, target: "/mnt/own", writable }]
        await expect(sandboxes.create({ name: "own", mounts })).rejects.toMatchObject({
          kind: "rejected",
          message: `${source} holds Toolkeep's own files, which no sandbox may see.`,
        })
      }
    }
  }
})
