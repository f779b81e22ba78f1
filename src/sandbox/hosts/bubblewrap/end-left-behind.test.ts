import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { endLeftBehind } from "./remove-leftovers.ts"

it("O29: what waits for the pipes of a transfer whose Toolkeep died is ended, and nobody else is", async () => {
  const top = mkdtempSync(join(tmpdir(), "toolkeep-left-"))
  onTestFinished(() => rmSync(top, { recursive: true }))
  const [mine, other] = ["mine", "other"].map((name) => {
    mkdirSync(join(top, name))
    const pipe = join(top, name, "pipe")
    execFileSync("mkfifo", [pipe])
    return spawn("/bin/sh", ["-c", 'exec cat <"$1"', "sh", pipe])
  })
  if (!mine || !other) throw new Error("Two were started.")
  onTestFinished(() => {
    other.kill("SIGKILL")
  })
  const ended = once(mine, "exit")
  endLeftBehind(join(top, "mine"))
  expect(await ended).toEqual([null, "SIGKILL"])
  expect([other.exitCode, other.signalCode]).toEqual([null, null])
})
