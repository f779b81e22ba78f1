import { expect, it } from "vitest"
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
  killed: "The sandbox's own process ended while the command ran; it is started anew.",
  seen: [
    named,
    "/project/sub is no longer the directory that was to be shown at /mnt/sub. Put it back, or make another sandbox.",
    named,
  ],
  planted: '"/project/sub" is no directory of this machine.',
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
