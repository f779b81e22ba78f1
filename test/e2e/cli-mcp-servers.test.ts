import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { stringify } from "yaml"
import { scriptedServer } from "../support/mcp/bridge-fixture.ts"
import { browse, guardedServer } from "../support/mcp/oauth-fixture.ts"
import { runCli, startCli } from "./run-cli.ts"

it("Y15: servers of toolkeep.yaml are listed with their state, called, explained and approved", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-mcp-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const configure = (script: string) =>
    writeFileSync(
      join(home, "toolkeep.yaml"),
      stringify({
        mcpServers: { shop: scriptedServer(script), gone: { command: "no-such-program" } },
      }),
    )
  const run = (...args: readonly string[]) =>
    runCli([...args, "--host", "memory"], { cwd: home, home })
  configure("")
  const called = await run("call", "mcp:shop:echo", '{"text":"hello"}')
  expect(JSON.parse(called.stdout)).toMatchObject({
    ok: true,
    result: { kind: "mcp", server: "shop", content: [{ text: "hello" }] },
  })
  configure('tools[0].description = "Something else."')
  const [listed, tools, explained, mistaken] = await Promise.all([
    run("mcp", "list"),
    run("tools"),
    run("policy", "explain", "mcp:shop:echo"),
    run("mcp", "approve", "shop", "ecko"),
  ])
  expect(listed.exitCode).toBe(1)
  expect(JSON.parse(listed.stdout)).toMatchObject([
    {
      server: "shop",
      state: { kind: "ready" },
      tools: [{ name: "mcp:shop:echo", state: { kind: "held" } }],
    },
    { server: "gone", state: { kind: "crashed", why: expect.stringContaining("no such program") } },
  ])
  expect(tools.stdout).not.toContain("mcp:shop:echo")
  expect(JSON.parse(explained.stdout)).toMatchObject({ tool: "mcp:shop:echo" })
  expect(mistaken).toMatchObject({
    exitCode: 2,
    stderr: 'toolkeep: shop has no tool "ecko"; toolkeep mcp list shows them.\n',
  })
  expect(await run("mcp", "approve", "shop", "echo")).toMatchObject({
    exitCode: 0,
    stdout: "Approved as they are now, of shop: echo.\n",
  })
  expect((await run("tools")).stdout).toContain("mcp:shop:echo")
})

it("Y15: toolkeep mcp login prints where to log in, the server's tools then work, and mcp logout ends that", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-mcp-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const server = await guardedServer()
  const mcpServers = { tracker: { url: server.url }, shop: scriptedServer() }
  writeFileSync(join(home, "toolkeep.yaml"), stringify({ mcpServers }))
  const run = (...args: readonly string[]) => runCli(args, { cwd: home, home })
  const call = () => run("call", "mcp:tracker:greet", "--host", "memory")
  const [refused, mistaken, wrong] = await Promise.all([
    call(),
    run("mcp", "login", "trakker"),
    run("mcp", "login", "shop"),
  ])
  expect(refused.exitCode).toBe(1)
  expect(JSON.parse(refused.stdout).message).toContain("toolkeep mcp login tracker")
  expect(mistaken.stderr).toContain('did you mean "tracker"?')
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("has no url") })

  const { child, done } = startCli(["mcp", "login", "tracker", "--port", "0"], { cwd: home, home })
  let printed = ""
  child.stdout?.on("data", (piece: string) => {
    printed += piece
    const [, address] = /^(http\S+)\n\n$/m.exec(printed) ?? []
    if (address) browse(new URL(address)).catch(() => {})
  })
  const { exitCode, stdout, stderr } = await done
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^Open this address .+\n\nLogged in to tracker\.\n$/s),
  })
  const called = await call()
  expect(JSON.parse(called.stdout)).toMatchObject({ ok: true })
  for (const secret of server.secrets) expect(stdout + stderr + called.stdout).not.toContain(secret)

  expect(await run("mcp", "logout", "tracker")).toMatchObject({
    exitCode: 0,
    stdout: "Removed the login to tracker.\n",
  })
  expect((await call()).exitCode).toBe(1)
})
