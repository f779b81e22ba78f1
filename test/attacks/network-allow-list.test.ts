import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { attackAllowList, type OpenHost } from "./proxy-attacks.ts"

const open: OpenHost = async (dialer) => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-proxy-attack-"))
  chmodSync(directory, 0o755)
  return {
    host: bubblewrapHost({ directory, dialer }),
    async [Symbol.asyncDispose]() {
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

describe("an allow-list on bubblewrap", () => attackAllowList(open))

it("C18: connects to the proxy of a sandbox as another user of the machine", async () => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-proxy-user-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  chmodSync(directory, 0o755)
  const network = { kind: "allow-list", domains: ["allowed.example"] } as const
  const sandbox = await bubblewrapHost({ directory }).create({ name: "own", network })
  onTestFinished(() => sandbox.destroy())
  const [own = ""] = readdirSync(directory).filter((name) => name.startsWith("sandbox"))
  const path = join(directory, own, "exchange", "proxy")
  const script = `if (process.getuid() === 0) { process.setgroups([]); process.setgid(54321); process.setuid(54321) }
    require("node:net").connect(${JSON.stringify(path)})
      .on("error", (error) => console.log(error.code)).on("connect", () => process.exit(1))`
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script])
  expect(stdout).toBe("EACCES\n")
})
