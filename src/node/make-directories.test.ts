import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { makeDirectories } from "./make-directories.ts"

it("C18: directories are made with those they lie in, and a place that takes none is an error and no endless loop", () => {
  const place = mkdtempSync(join(tmpdir(), "toolkeep-directories-"))
  onTestFinished(() => rmSync(place, { recursive: true }))
  expect(makeDirectories(join(place, "a/b/c"), 0o700)).toBe(join(place, "a"))
  expect(makeDirectories(join(place, "a/b/c"), 0o700)).toBeUndefined()
  expect(makeDirectories(join(place, "a/b/d"), 0o700)).toBe(join(place, "a/b/d"))
  expect(statSync(join(place, "a/b")).mode & 0o777).toBe(0o700)
  symlinkSync(join(place, "nowhere"), join(place, "link"))
  writeFileSync(join(place, "file"), "")
  for (const path of [join(place, "link/x"), join(place, "file"), join(place, "file/x/y")]) {
    expect(() => makeDirectories(path, 0o700)).toThrow(/EEXIST|ENOTDIR/)
  }
  expect(() => makeDirectories("/proc/nowhere/x", 0o700)).toThrow("ENOENT")
})
