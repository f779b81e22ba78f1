import { execFile } from "node:child_process"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { sandboxLimits } from "../../src/sandbox/limits.ts"

const run = promisify(execFile)

it("C18, O30: attacks the sandbox of an ordinary user, who can make no control groups", async () => {
  const top = mkdtempSync(join(tmpdir(), "toolkeep-unprivileged-"))
  try {
    chmodSync(top, 0o755)
    const directory = join(top, "sandboxes")
    const canary = join(top, "canary")
    writeFileSync(canary, "the canary's words")
    const own = process.getuid?.() ?? 0
    const user = own === 0 ? 54_321 : own
    mkdirSync(directory)
    chownSync(directory, user, own === 0 ? user : (process.getgid?.() ?? user))
    const child = new URL("unprivileged-child.ts", import.meta.url).pathname
    const { stdout } = await run(process.execPath, [child, directory, String(user), canary])
    const report = JSON.parse(stdout)
    expect(report).toEqual({
      user,
      status: `1000\nCapBnd:\t${"0".repeat(16)}\nNoNewPrivs:\t1\nSeccomp:\t2\n`,
      canary: expect.not.stringContaining("the canary's words"),
      ownFiles: "",
      exchange: expect.stringMatching(/Read-only file system/),
      network: expect.stringContaining("Network is unreachable"),
      allowList: [
        "GET allowed.example / \n",
        "The sandbox's network refuses other.example:80: nothing on the allow-list matches.\n",
        "The sandbox's network refuses 169.254.169.254:80: nothing on the allow-list matches.\n",
      ].join(""),
      bomb: expect.stringMatching(/^\d+$/),
      judged: "judged\n",
      refused: "invalid_args",
      agentFiles: "",
      stopped: ["timed-out", "alive\n"],
      forged: ["timed-out", "alive\n"],
      closed: "ok\n",
    })
    expect(Number(report.bomb)).toBeLessThan(sandboxLimits.processes)
    expect(report.exchange).not.toMatch(/^new$/m)
    expect(readdirSync(directory)).toEqual(["shared"])
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
})
