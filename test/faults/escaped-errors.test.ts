import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { startCli } from "../e2e/run-cli.ts"
import { startServer } from "../e2e/start-server.ts"
import { commandLine } from "../support/built-package.ts"

const inject = ["--import", join(repositoryRoot, "test/faults/inject-faults.ts")]
const kinds = ["timer", "emitter", "rejection", "nothing"] as const

/** A line about an error that escaped: nothing of it reaches the terminal as it came. */
const lines = (output: string) =>
  output.split("\n").filter((line) => line.startsWith("toolkeep: An error escaped"))

async function connect(url: string, token: string, name: string, headers = {}): Promise<Client> {
  const client = new Client({ name, version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${token}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

const exec = (client: Client, command: string) =>
  client.callTool({ name: "shell_exec", arguments: { command } })

it("C18: an error that nothing catches ends the call of `toolkeep up` that it belongs to, and no other", async () => {
  const up = await startServer(process.execPath, [
    ...inject,
    commandLine,
    "up",
    "--host",
    "local",
    "--results",
    "both",
  ])
  const { url, token } = await up.ready()
  const one = await connect(url, token, "one")
  const other = await connect(url, token, "other")
  const over = join(up.home, "over")
  // It goes on until it is told that the faults are over.
  const unharmed = exec(other, `until [ -e ${over} ]; do sleep 0.1; done; echo unharmed`)
  for (const kind of kinds) {
    expect(await exec(one, `: FAULT=${kind}; sleep 60`), kind).toMatchObject({
      isError: true,
      structuredContent: {
        ok: false,
        kind: "execution_error",
        message: expect.stringMatching(/^The tool failed where nothing could catch it: /),
      },
    })
  }
  expect(await exec(one, "echo still")).toMatchObject({ structuredContent: { ok: true } })
  await exec(other, `: > ${over}`)
  expect(await unharmed).toMatchObject({ structuredContent: { result: { stdout: "unharmed\n" } } })
  const said = lines(up.output())
  expect(said).toHaveLength(kinds.length)
  expect(said[0]).toMatch(
    /^toolkeep: An error escaped and ended the call of shell.exec: Error: injected /,
  )
  expect(said.join("")).not.toContain("\u001b")
  up.signal("SIGTERM")
  expect(await up.ended).toBe(0)
}, 120_000)

it("C18: an error that nothing catches ends the connection of `toolkeep up` that it belongs to, and no other", async () => {
  const up = await startServer(process.execPath, [
    ...inject,
    commandLine,
    "up",
    "--host",
    "local",
    "--results",
    "both",
  ])
  const { url, token } = await up.ready()
  const other = await connect(url, token, "other")
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }
  for (const kind of [...kinds, "data"]) {
    // Its body never ends: only who is cut off hears of it.
    const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) })
    const request = { method: "POST", headers: { ...headers, "X-Fault": kind }, body }
    await expect(fetch(url, { ...request, duplex: "half" } as RequestInit), kind).rejects.toThrow()
    expect(await exec(other, "echo on")).toMatchObject({ structuredContent: { ok: true } })
  }
  expect(lines(up.output())).toHaveLength(kinds.length + 1)
  for (const line of lines(up.output())) expect(line).toContain("ended a client's connection")
  up.signal("SIGUSR2")
  await expect.poll(up.output).toContain("belongs to no call or connection; everything goes on")
  expect(await exec(other, "echo on")).toMatchObject({ structuredContent: { ok: true } })
  up.signal("SIGTERM")
  expect(await up.ended).toBe(0)
}, 120_000)

it("C18: `toolkeep mcp` says on standard error what ended a call, and goes on with its client", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...inject, commandLine, "mcp", "--host", "local", "--results", "both"],
    env: process.env as Record<string, string>,
    stderr: "pipe",
  })
  let said = ""
  transport.stderr?.on("data", (bytes) => {
    said += bytes
  })
  const client = new Client({ name: "lines", version: "1.0.0" })
  const problems: Error[] = []
  client.onerror = (error) => problems.push(error)
  await client.connect(transport)
  onTestFinished(() => client.close())
  expect(await exec(client, ": FAULT=timer; sleep 60")).toMatchObject({
    structuredContent: { ok: false, kind: "execution_error" },
  })
  expect(await exec(client, "echo on")).toMatchObject({ structuredContent: { ok: true } })
  await expect.poll(() => lines(said)).toHaveLength(1)
  expect(problems).toEqual([])
}, 120_000)

it("C18: `toolkeep call` answers with an envelope when an error of its tool escapes, and the next call runs", async () => {
  const calls = kinds.map((kind, id) => ({
    ...{ id, tool: "shell.exec", input: { command: `: FAULT=${kind}; sleep 60` } },
  }))
  const last = { id: "last", tool: "shell.exec", input: { command: "echo on" } }
  const { done } = startCli(["call", "--batch", "--host", "local"], {
    stdin: [...calls, last].map((call) => `${JSON.stringify(call)}\n`).join(""),
    environment: { NODE_OPTIONS: inject.join(" ") },
  })
  const { stdout, stderr, exitCode } = await done
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers).toHaveLength(kinds.length + 1)
  expect(answers[0].envelope).toMatchObject({ ok: false, kind: "execution_error" })
  expect(answers.at(-1).envelope).toMatchObject({ ok: true, result: { stdout: "on\n" } })
  expect(lines(stderr)).toHaveLength(kinds.length)
  expect(exitCode).toBe(1)
}, 120_000)
