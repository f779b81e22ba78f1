import { Sandbox } from "@alibaba-group/opensandbox"
import { expect, it } from "vitest"
import { startServer } from "./start-server.ts"

const program = new URL("../../src/cli/main.ts", import.meta.url).pathname

it("R12: toolkeep up --opensandbox prints what the SDKs need, and runs their sandboxes", async () => {
  const args = [program, "up", "--port", "0", "--no-console", "--host", "bubblewrap"]
  const server = await startServer(process.execPath, [...args, "--opensandbox"])
  await server.ready()
  const [, domain = "", apiKey = ""] =
    /OPEN_SANDBOX_DOMAIN=(\S+) OPEN_SANDBOX_API_KEY=(\S+)/.exec(server.output()) ?? []
  const sandbox = await Sandbox.create({ connectionConfig: { domain, apiKey }, image: "host" })
  const { logs, exitCode } = await sandbox.commands.run("echo from the SDK; exit 5")
  expect(logs.stdout.map(({ text }) => text)).toEqual(["from the SDK"])
  expect(exitCode).toBe(5)
  await sandbox.kill()
  await sandbox.close()
})
