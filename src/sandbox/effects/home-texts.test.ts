import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { HomeTexts, processorMs } from "./home-texts.ts"
import { InsideDirectory } from "./inside-directory.ts"
import { WatchedDirectory } from "./watched-directory.ts"

/** A directory in another one, and so on, each with a file, as they are known of a home. */
function deepHome(depth: number) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-texts-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const names = Array.from({ length: depth }, () => "d")
  mkdirSync(join(home, ...names), { recursive: true })
  const root = new WatchedDirectory([], 0, () => {})
  let at = root
  for (let level = 0; level <= depth; level += 1) {
    writeFileSync(join(home, ...names.slice(0, level), "f"), "x")
    at.entries.set("f", { type: "file", bytes: 1, changedMs: 0 })
    const child = new WatchedDirectory(names.slice(0, level + 1), 0, () => {})
    if (level < depth) at.children.set("d", child)
    at = child
  }
  return { home, root }
}

it("X2: the way to a file counts as time for reading it, so that a deep tree holds up nobody", () => {
  const { home, root } = deepHome(900)
  const texts = new HomeTexts()
  texts.expect(root)
  const open = InsideDirectory.openRoot(home)
  onTestFinished(() => open.close())
  const startedMs = processorMs()
  let countedMs = 0
  for (; texts.isWaiting; countedMs += texts.spentMs) {
    texts.begin(10)
    texts.readExpected(open)
  }
  // What it does not count, it could do without end: the files alone are a thirtieth of the work.
  expect(countedMs).toBeGreaterThan((processorMs() - startedMs) / 5)
})
