import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
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
    `{"mcpServers":{"toolkeep":{"command":`,
    `{"mcpServers":{"toolkeep":{"url":"${url}?session=cursor","headers":{"Authorization":"Bearer ${token}"}}}}`,
    `code --add-mcp '{"name":"toolkeep","type":"http","url":"${url}?session=vscode"`,
    `[mcp_servers.toolkeep]`,
    `http_headers = { Authorization = "Bearer ${token}" }`,
    `gemini mcp add --scope user --transport http --header "Authorization: Bearer ${token}" toolkeep "${url}?session=gemini"`,
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
    isError: false,
    content: [{ type: "text", text: "hi\n[exit code 3]" }],
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

it("a client that starts its own server has the flags, configuration and variables of this one", async () => {
  const flags = ["--host", "memory", "--profile", "coding", "--keep"]
  const cwd = await mkdtemp(join(tmpdir(), "toolkeep-flags-"))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await writeFile(join(cwd, "toolkeep.yaml"), "tools: { policy: minimal }\n")
  const up = await startServer(process.execPath, [commandLine, "up", "--port", "0", ...flags], {
    cwd,
  })
  await up.ready()
  const kept = [...flags, "--config", join(cwd, "toolkeep.yaml")]
  const args = [`TOOLKEEP_HOME=${up.home}`, process.execPath, commandLine, "mcp", ...kept]
  expect(up.output()).toContain(
    JSON.stringify({ mcpServers: { toolkeep: { command: "env", args } } }),
  )
  expect(up.output()).toContain(`claude mcp add toolkeep -- ${["env", ...args].join(" ")}`)
  expect(up.output()).toContain(`codex mcp add toolkeep -- ${["env", ...args].join(" ")}`)
  expect(up.output()).toContain(
    `gemini mcp add --scope user toolkeep ${["env", ...args.slice(0, 4)].join(" ")} -- ${kept.join(" ")}`,
  )
})

it("--listen and PORT say where the server listens", async () => {
  const start = (flags: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
    startServer(process.execPath, [commandLine, "up", "--host", "memory", ...flags], {
      environment,
    })
  const asked = await start(["--listen", "127.0.0.2:0"])
  await expect.poll(asked.output).toContain("Calls are shown here")
  const url = /is up at (http:\/\/127\.0\.0\.2:\d+\/mcp)/.exec(asked.output())?.[1] ?? ""
  expect((await fetch(url, { method: "POST" })).status).toBe(401)
  expect(await statusAs("example.com", url)).toBe(403)
  const free = createServer()
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve))
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const variable = await start([], { PORT: String(port) })
  expect((await variable.ready()).url).toBe(`http://127.0.0.1:${port}/mcp`)
  for (const [flags, said] of [
    [["--listen", "7701"], "an address and a port"],
    [["--listen", "127.0.0.1:99999"], "an address and a port"],
    [["--listen", "127.0.0.1:0", "--port", "1"], "leave out --port"],
  ] as const) {
    const { exitCode, stderr } = await runCli(["up", "--host", "memory", ...flags])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(said) })
  }
  const wrong = await runCli(["up", "--host", "memory"], { environment: { PORT: "many" } })
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("PORT must be") })
})

/** The status of an answer to a request that calls the server by another name. */
function statusAs(name: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { Host: name } }, ({ statusCode }) =>
      resolve(statusCode),
    )
    sent.on("error", reject).end()
  })
}

it("says why commands run in a virtual bash, and what gives them real programs", async () => {
  const bare = await mkdtemp(join(tmpdir(), "toolkeep-path-"))
  onTestFinished(() => rm(bare, { recursive: true }))
  const environment = { PATH: bare, DOCKER_HOST: `unix://${bare}/none.sock` }
  const up = await startServer(process.execPath, [commandLine, "up", "--port", "0"], {
    environment,
  })
  await up.ready()
  expect(up.output()).toMatch(
    /^Commands run in a virtual bash without real programs\. There is no bwrap in PATH\. .*apt-get install bubblewrap/m,
  )
})
