import { createServer } from "node:net"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, it, onTestFinished } from "vitest"
import { commandLine } from "../support/built-package.ts"
import { runCli } from "./run-cli.ts"
import { startServer } from "./start-server.ts"

it("F20: npm start serves this machine's best sandboxes, says how to connect, and shows each call", async () => {
  const up = await startServer("npm", ["start"])
  const { url, token } = await up.ready()
  for (const line of [
    `claude mcp add --transport http toolkeep "${url}?session=claude-code" --header "Authorization: Bearer ${token}"`,
    `{"mcpServers": {"toolkeep": {"command":`,
    `{"mcpServers": {"toolkeep": {"url":"${url}?session=cursor","headers":{"Authorization":"Bearer ${token}"}}}}`,
    `code --add-mcp '{"name":"toolkeep","type":"http","url":"${url}?session=vscode"`,
    `npx @modelcontextprotocol/inspector --cli "${url}?session=inspector" --transport http`,
  ]) {
    expect(up.output()).toContain(line)
  }
  expect(up.output()).toContain("use another name to separate them.")
  const client = new Client({ name: "an-agent", version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const call = (name: string, input: Record<string, unknown>) =>
    client.callTool({ name, arguments: input })
  expect(await call("shell_exec", { command: "echo hi; exit 3" })).toMatchObject({
    structuredContent: { ok: true, result: { stdout: "hi\n", exit_code: 3 } },
  })
  await call("file_read", { path: "nowhere.md" })
  await call("sandbox_browse", { port: 8123, wait_ms: 0 })
  await client.close()
  const time = "\\d\\d:\\d\\d:\\d\\d"
  await expect
    .poll(up.output)
    .toMatch(
      new RegExp(`^${time} an-agent shell.exec ok command exit 3 \\d+ ms  echo hi; exit 3$`, "m"),
    )
  expect(up.output()).toMatch(
    new RegExp(`^${time} an-agent file.read not_found .* ms  nowhere.md$`, "m"),
  )
  await expect
    .poll(up.output)
    .toMatch(new RegExp(`^${time} an-agent sandbox.browse \\w+ .* ms  port 8123$`, "m"))
  up.signal("SIGINT")
  await up.ended
  await expect(fetch(url)).rejects.toThrow()
})

it("a port that is taken is said, and another one found; one that was asked for is not replaced", async () => {
  const taken = createServer()
  const isMine = await new Promise<boolean>((resolve) => {
    taken.once("error", () => resolve(false)).listen(7700, "127.0.0.1", () => resolve(true))
  })
  onTestFinished(() => void (isMine && taken.close()))
  const asked = await runCli(["up", "--host", "memory", "--port", "7700"])
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--port") })
  const up = await startServer(process.execPath, [commandLine, "up", "--host", "memory"])
  await expect.poll(up.output).toContain("(port 7700 is taken)")
  up.signal("SIGTERM")
  expect(await up.ended).toBe(0)
})
