import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import { commandLine } from "../support/built-package.ts"

/** As soon as somebody looks after such errors. */
const raise = `data:text/javascript,const wait = setInterval(() => {
  if (process.listenerCount("uncaughtException") === 0) return;
  clearInterval(wait);
  throw new Error("boom \\u001b]0;x\\u0007\\u202e")
}, 1).unref()`

it("Y9: an error that escapes from a short command steers no terminal", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", raise, commandLine, "tools", "--host", "memory"],
    { encoding: "utf8" },
  )
  expect(status).toBe(1)
  expect(stderr).toContain("toolkeep: unexpected error: Error: boom <U+001B>]0;x<U+0007><U+202E>")
})
