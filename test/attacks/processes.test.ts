import { spawn } from "node:child_process"
import { openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { openMcpFixture } from "./attack-ground.ts"
import { attackProcesses } from "./process-attacks.ts"

describe("processes of the host, from bubblewrap", () => {
  attackProcesses(openMcpFixture)

  it("C18: uses a directory that whoever started Toolkeep left open", async () => {
    await using ground = await openMcpFixture()
    const { directory, secret: canary } = ground
    const script = join(directory, "child.ts")
    const sandbox = new URL("../../src/sandbox/index.ts", import.meta.url).pathname
    writeFileSync(
      script,
      `import { bubblewrapHost, createPool } from ${JSON.stringify(sandbox)}
      await using pool = createPool(bubblewrapHost({ directory: ${JSON.stringify(join(directory, "inherited"))} }))
      const workspace = await pool.workspace()
      const { stdout } = await workspace.exec("ls /proc/self/fd /proc/2/fd; cat /proc/*/fd/9/canary /dev/fd/9/canary")
      console.log(stdout)`,
    )
    const stdio = Array.from(
      { length: 10 },
      (_, fd) => (fd < 2 ? "pipe" : "ignore") as "pipe" | number,
    )
    stdio[9] = openSync(directory, "r")
    const child = spawn(process.execPath, [script], { stdio })
    const printed = child.stdout ? await text(child.stdout) : ""
    // Of its own, and the one with which ls reads the list.
    expect(printed.trim().split(/\s+/)).toEqual([
      "/proc/2/fd:",
      "0",
      "1",
      "2",
      "/proc/self/fd:",
      "0",
      "1",
      "2",
      "3",
    ])
    expect(printed).not.toContain(canary)
  })
})
