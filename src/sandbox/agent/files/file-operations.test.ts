import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { refuseOther } from "./file-operations.ts"

it("F18: a file that comes and goes while it is looked at is never taken for a pipe or a device", () => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-refuse-"))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const flicker = `perl -e 'while (1) { open F, ">", "file"; close F; unlink "file" }' & flickering=$!
    until [[ -e file ]]; do :; done`
  const look = `set -- file; for i in {1..100000}; do ${refuseOther.replace("exit 1", "break")}; done`
  const script = `${flicker}; ${look} 2>&1; kill $flickering`
  expect(execFileSync("bash", ["-c", script], { cwd: directory, encoding: "utf8" })).toBe("")
  const pipe = `mkfifo pipe; set -- pipe; ${refuseOther}`
  expect(() => execFileSync("bash", ["-c", pipe], { cwd: directory, stdio: "pipe" })).toThrow(
    "not a regular file",
  )
})
