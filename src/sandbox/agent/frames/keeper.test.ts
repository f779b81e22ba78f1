import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { keeperScript } from "./keeper-script.ts"

it("R12, Y16: a keeper that nobody is connected to ends itself", async () => {
  const exchange = mkdtempSync(join(tmpdir(), "toolkeep-keeper-"))
  onTestFinished(() => rmSync(exchange, { recursive: true }))
  execFileSync("mkfifo", ["requests", "answers", "join"], { cwd: exchange })
  const script = keeperScript({
    ...{ token: "token", exchange, joining: join(exchange, "join"), home: exchange },
    wordFile: join(exchange, "word"),
    ...{ slots: 0, connections: 1, windowBytes: 1_000 },
    times: { beatMs: 20, silenceMs: 100 },
    abandonedMs: 100,
  })
  const keeper = spawn(process.execPath, ["-e", script], { stdio: "inherit" })
  expect(await once(keeper, "exit")).toEqual([0, null])
})
