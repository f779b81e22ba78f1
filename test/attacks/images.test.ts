import { expect, it } from "vitest"
import { attackImages } from "./image-attacks.ts"
import { asOrdinaryUser, makePlaces } from "./ordinary-user.ts"

const isNoFile = expect.stringMatching(/^It has no regular file "[^"]*", which it needs\.$/)
const hasNoShell = "It has no /bin/sh that runs here."

/** What becomes of each. */
const expected = {
  "a pipe": "It is neither a file nor a directory.",
  "an index that is a pipe": isNoFile,
  "an index that is a link to the machine": isNoFile,
  "settings that are a pipe": isNoFile,
  "a manifest that is a pipe, in a directory": hasNoShell,
  "a manifest that is a pipe, in an archive": hasNoShell,
  "an archive of a layout whose index is a pipe": isNoFile,
  "settings that are a link to the machine": isNoFile,
  "a layer that is a link to the machine": isNoFile,
  "a layer that plants a link where the next layer was": isNoFile,
  "a layer that puts a link in the place of the whole": hasNoShell,
  "a layer with another content than its digest":
    expect.stringMatching(/^Its sha256:.* is damaged/),
  "a search path with a NUL": expect.stringContaining("control character"),
  "a thousand layers": "It has 1000 layers; at most 512 are applied.",
  "half of a packed file": "unexpected end of file",
  "names in the unpacked images": "way way/root",
}

it("O30, F18: images whose parts are pipes, links or not what they should be are refused, and nothing of the machine is read", async () => {
  expect(await attackImages(makePlaces())).toEqual(expected)
}, 120_000)

it("O30, F18: and so they are where Toolkeep is run by an ordinary user", async () => {
  const module = import.meta.resolve("./image-attacks.ts")
  expect(await asOrdinaryUser([module, "attackImages"], makePlaces())).toEqual(expected)
}, 120_000)
