import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import type { Network } from "../../src/contract/index.ts"
import { bubblewrapHost, createPool, memoryHost } from "../../src/sandbox/index.ts"
import { openToolkeep, type Session, type ToolkeepOptions } from "../../src/session/index.ts"
import { runCli } from "../e2e/run-cli.ts"
import { commandLine } from "../support/built-package.ts"

const home = mkdtempSync(join(tmpdir(), "toolkeep-bound-"))
chmodSync(home, 0o755)
afterAll(() => rmSync(home, { recursive: true, force: true }))

const open = (network: Network | undefined, more: ToolkeepOptions = {}) =>
  openToolkeep({
    host: bubblewrapHost({ directory: join(home, "bubblewrap") }),
    home,
    ...(network && { network }),
    ...more,
  })

const none: Network = { kind: "none" }
const full: Network = { kind: "full" }
const only = (...domains: string[]): Network => ({ kind: "allow-list", domains })

const shownKinds = (session: Session) =>
  session.allTools().find(({ name }) => name === "sandbox.create")?.inputSchema.properties?.network
    ?.properties?.kind?.enum

describe("the network of a session bounds every sandbox", () => {
  it.each<[Network, Network, string]>([
    [none, only("example.com"), 'The network "allow-list" is more than this session'],
    [none, full, 'The network "full" is more than this session'],
    [only("example.com"), full, 'The network "full" is more than this session'],
    [only("example.com"), only("example.com", "evil.example"), '"evil.example" is not on'],
    [only("example.com"), only("*.example.com"), '"*.example.com" is not on'],
    [only("example.com"), only("example.com:8080"), '"example.com:8080" is not on'],
    [only("*.example.com"), only("example.com"), '"example.com" is not on'],
    [only("*.example.com"), only("a.example.com.evil.example"), '"a.example.com.evil.example" is'],
  ])("C18, Y16: %j refuses %j, from a model and from a program", async (network, more, reason) => {
    await using keep = await open(network)
    const session = keep.session("bounded")
    const refusal = {
      kind: "rejected",
      message: expect.stringMatching(
        /^.* as --network \(in a program, openToolkeep's network\) says\.$/,
      ),
    }
    const asked = await session.call("sandbox.create", { sandbox: "more", network: more })
    expect(asked).toMatchObject(refusal)
    expect(asked).toMatchObject({ message: expect.stringContaining(reason) })
    const text = JSON.stringify({ sandbox: "more", network: more })
    const name: string = "sandbox.create"
    expect(await session.call(name, text)).toMatchObject(refusal)
    await expect(session.sandboxes.create({ name: "more", network: more })).rejects.toMatchObject(
      refusal,
    )
    await session.sandboxes.create({ name: "own" })
    await expect(session.sandboxes.setNetwork("own", more)).rejects.toMatchObject(refusal)
    expect(session.sandboxes.list()).toMatchObject([{ name: "own", network }])
    await session.destroy()
  })

  it("C18, Y16: less may be asked for, and a fork has what its source has", async () => {
    await using keep = await open(only("example.com", "*.example.org"))
    const session = keep.session("less")
    const create = (sandbox: string, network?: Network) =>
      session.call("sandbox.create", { sandbox, ...(network && { network }) })
    expect(await create("usual")).toMatchObject({ result: { network: "allow-list" } })
    expect(await create("closed", { kind: "none" })).toMatchObject({ result: { network: "none" } })
    const less = only("EXAMPLE.com.", "a.example.org:443", "*.b.example.org")
    expect(await create("less", less)).toMatchObject({ result: { network: "allow-list" } })
    expect(await session.call("sandbox.fork", { sandbox: "less", to: "fork" })).toMatchObject({
      result: { network: "allow-list" },
    })
    expect(session.sandboxes.list().find(({ name }) => name === "fork")?.network).toEqual(less)
    await session.destroy()
  })

  it("C18: a model is told of no network that would be refused", async () => {
    await using closed = await open(none)
    expect(shownKinds(closed.session())).toBeUndefined()
    await using some = await open(only("example.com"))
    expect(shownKinds(some.session())).toEqual(["none", "allow-list"])
    const tool = some
      .session()
      .allTools()
      .find(({ name }) => name === "sandbox.create")
    expect(JSON.stringify(tool?.inputSchema)).toContain("within example.com")
    expect(JSON.stringify(tool?.inputSchema)).not.toContain("example.org")
    await using wide = await open(full)
    expect(shownKinds(wide.session())).toEqual(["none", "allow-list", "full"])
    await using usual = await open(undefined)
    expect(shownKinds(usual.session())).toEqual(["none", "allow-list"])
  })

  it("C18, Y16: a dialect is no way around it", async () => {
    await using keep = await open(none, { dialect: "cloudflare" })
    const session = keep.session("dialect")
    for (const { name, inputSchema } of session.tools()) {
      expect([name, JSON.stringify(inputSchema).includes("allow-list")]).toEqual([name, false])
    }
  })

  it("C18, Y16: a sandbox that was made with more has no more than a later session allows", async () => {
    const made = await open(undefined, { durable: true })
    await made
      .session("kept")
      .sandboxes.create({ name: "web", network: only("a.example", "b.example") })
    await made.session("kept").sandboxes.create({ name: "part", network: only("a.example") })
    await made.close()
    await using keep = await open(only("a.example"), { durable: true })
    const session = keep.session("kept")
    expect(session.sandboxes.list().map(({ name, network }) => [name, network])).toEqual([
      ["web", only("a.example")],
      ["part", only("a.example")],
    ])
    const web = await session.workspace("web")
    expect((await web.exec("echo $HTTP_PROXY")).stdout).not.toBe("\n")
    await session.close()
    await using shut = await open(none, { durable: true })
    const closed = await shut.session("kept").workspace("web")
    expect((await closed.exec("echo $HTTP_PROXY")).stdout).toBe("\n")
    await shut.session("kept").destroy()
  })

  it("C18: the settings of toolkeep.yaml bound what is asked for, too", async () => {
    const settings = { network: { reach: "allow-list", allow: ["example.com"] } } as const
    await using keep = await open(undefined, { settings })
    const { sandboxes } = keep.session("settings")
    await expect(
      sandboxes.create({ name: "web", network: only("evil.example") }),
    ).rejects.toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("as network.reach in toolkeep.yaml"),
    })
    await keep.session("settings").destroy()
  })

  it("C18: the settings bound a sandbox that was asked for before, whatever --network says; one that was not, works on", async () => {
    const settings = { network: { reach: "none" } } as const
    const made = await open(undefined, { durable: true })
    const { sandboxes } = made.session("before")
    await sandboxes.create({ name: "web", network: only("a.example") })
    await sandboxes.create({ name: "plain" })
    await made.close()
    for (const network of [full, only("a.example"), undefined]) {
      await using keep = await open(network, { durable: true, settings })
      const found = keep.session("before")
      expect(found.sandboxes.list()[0]).toMatchObject({ name: "web", network: none })
      const web = await found.workspace("web")
      expect((await web.exec("echo $HTTP_PROXY")).stdout).toBe("\n")
      expect((await (await found.workspace("plain")).exec("echo on")).stdout).toBe("on\n")
      if (network === undefined) await found.destroy()
    }
    const local = { host: "local", directory: home, durable: true, settings } as const
    for (const _time of ["first", "second"]) {
      await using keep = await openToolkeep({ home, ...local })
      const session = keep.session("on-this-machine")
      expect((await (await session.workspace()).exec("echo on")).stdout).toBe("on\n")
    }
  })

  it("C18, Y16: what is within a bound never reaches what the bound does not", async () => {
    const label = fc.constantFrom("a", "b", "example", "com", "org")
    const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."))
    const rule = fc
      .tuple(fc.constantFrom("", "*."), name, fc.constantFrom("", ":80", ":8080"))
      .map((parts) => parts.join(""))
    const list = fc.array(rule, { minLength: 1, maxLength: 3 })
    const { judgeTarget, parseDomainRules } = await import(
      "../../src/sandbox/network/domain-rule.ts"
    )
    const allows = (domains: readonly string[], host: string, port: number) =>
      judgeTarget(parseDomainRules(domains), { kind: "name", host, port }).kind === "allow"
    await fc.assert(
      fc.asyncProperty(
        list,
        list,
        name,
        fc.constantFrom(80, 443, 8080),
        async (outer, inner, host, port) => {
          const pool = createPool(
            { ...memoryHost(), can: { ...memoryHost().can, networks: ["none", "allow-list"] } },
            { network: only(...outer) },
          )
          const granted = await pool.create({ name: "x", network: only(...inner) }).then(
            () => true,
            ({ kind }) => kind !== "rejected",
          )
          if (granted && allows(inner, host, port)) expect(allows(outer, host, port)).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("toolkeep mcp --network", () => {
  const withClient = async (flags: readonly string[], use: (client: Client) => Promise<void>) => {
    const env = { ...process.env, TOOLKEEP_HOME: home } as Record<string, string>
    const args = [
      commandLine,
      "mcp",
      "--host",
      "bubblewrap",
      "--defer",
      "off",
      "--results",
      "both",
      ...flags,
    ]
    const client = new Client({ name: "model", version: "1.0.0" })
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
    await use(client)
    await client.close()
  }

  it.each([
    ["none", { kind: "allow-list", domains: ["example.com"] }],
    ["none", { kind: "full" }],
    ["example.com", { kind: "allow-list", domains: ["evil.example"] }],
    ["example.com", { kind: "full" }],
  ])("C18, Y16: %s is all that a client's sandboxes get, asked for %j", async (flag, network) => {
    await withClient(["--network", flag], async (client) => {
      const input = { sandbox: "more", network }
      expect(await client.callTool({ name: "sandbox_create", arguments: input })).toMatchObject({
        isError: true,
        structuredContent: { kind: "rejected", message: expect.stringContaining("--network") },
      })
    })
  })

  it.each(["exa mple.com", "127.0.0.1", "https://example.com"])(
    "C18: %j is refused at the start, and not by the first call",
    async (flag) => {
      const { exitCode, stderr } = await runCli(["mcp", "--host", "bubblewrap", "--network", flag])
      expect([exitCode, stderr.split("\n")[0]]).toEqual([
        2,
        expect.stringMatching(/^toolkeep: --network/),
      ])
    },
  )
})
