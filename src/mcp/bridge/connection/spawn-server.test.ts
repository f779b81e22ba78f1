import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { expect, it } from "vitest"

const stubborn = `
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {})
  process.stdin.resume()
  setInterval(() => {}, 1000)
  console.log(process.pid)`

const leaveAtOnce = `
  import { writeSync } from "node:fs"
  import { spawnServer } from ${JSON.stringify(new URL("./spawn-server.ts", import.meta.url).href)}
  const server = { kind: "stdio", name: "s", command: process.execPath, args: ["-e", ${JSON.stringify(stubborn)}], env: {} }
  const onOutput = (bytes) => { writeSync(1, bytes); process.exit() }
  await spawnServer(server, {})({ onOutput, onEnd: () => {} })`

it("C18: a server that listens to nobody ends with Toolkeep, also when that leaves at once", async () => {
  const args = ["--no-warnings", "--input-type=module", "-e", leaveAtOnce]
  const pid = execFileSync(process.execPath, args, { encoding: "utf8" }).trim()
  expect(pid).toMatch(/^\d+$/)
  await expect.poll(() => existsSync(`/proc/${pid}/cmdline`)).toBe(false)
})
