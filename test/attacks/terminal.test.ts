import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { stringify } from "yaml"
import { repositoryRoot } from "../../scripts/repository.ts"
import { scriptedServer } from "../support/mcp/bridge-fixture.ts"

/** Colours of its own, a title, a link, the clipboard, C1, a cleared screen, an overwritten line, hidden and turned text. */
const hostile =
  "\u001b[35;8mred\u001b]0;owned\u0007\u001b]8;;http://evil\u001b\\x\u001b]52;c;b3duZWQ=\u0007" +
  "\u009b2J\u009d0;owned\u009c\u001b[2J safe\rEVIL \u0008\u007f\u202eturned\u2066\u200b\u2028\u{e0041}end"
/** What may name a file. */
const hostileName = hostile.replaceAll("/", "_")
const steers =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u
const marks = /<U\+[0-9A-F]+>|\\u[0-9a-f]{4}/
const ownStyles = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g

interface Ground {
  readonly directory: string
  readonly home: string
}

function openMcpFixture(config: object = {}): Ground {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-terminal-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const home = join(directory, "home")
  mkdirSync(home)
  writeFileSync(join(directory, "toolkeep.yaml"), stringify(config))
  return { directory, home }
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** A script of ours on a pseudo-terminal of its own, made by util-linux's `script`. */
function startOnTerminal({ directory, home }: Ground, words: readonly string[]): ChildProcess {
  const [script = "", ...args] = words
  const program = [process.execPath, join(repositoryRoot, script), ...args].map(quote).join(" ")
  const plain = { CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined }
  const line = `${program} < ${quote(join(directory, "input"))}`
  const child = spawn("script", ["-qc", line, "/dev/null"], {
    cwd: directory,
    env: { ...process.env, TERM: "xterm-256color", TOOLKEEP_HOME: home, ...plain },
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGTERM"))
  return child
}

/** What a person sees of each command line, one after the other. */
async function onTerminal(
  ground: Ground,
  lines: readonly (readonly string[])[],
): Promise<string[]> {
  const file = join(ground.directory, "lines.json")
  writeFileSync(file, JSON.stringify(lines))
  const child = startOnTerminal(ground, ["test/attacks/terminal-child.ts", file])
  const pieces: Buffer[] = []
  child.stdout?.on("data", (piece: Buffer) => pieces.push(piece))
  await new Promise((resolve) => child.once("close", resolve))
  const seen = seenIn(Buffer.concat(pieces)).split("=====\n").slice(1)
  expect(seen).toHaveLength(lines.length)
  return seen
}

/** What the terminal got, without Toolkeep's own styles and progress. */
function seenIn(bytes: Buffer): string {
  const text = bytes.toString("utf8")
  expect(Buffer.from(text).equals(bytes), "a terminal gets whole characters").toBe(true)
  return text.replaceAll("\r\n", "\n").replaceAll("\r\u001b[K", "").replaceAll(ownStyles, "")
}

function expectHarmless(seen: string, line: unknown, { isMarked = true } = {}): void {
  const what = `${JSON.stringify(line)} shows ${JSON.stringify(seen)}`
  expect(steers.exec(seen)?.[0] ?? null, what).toBeNull()
  if (isMarked) expect(seen, what).toMatch(marks)
}

/** A server that says such things wherever it says something. */
const hostileServer = (description: string) =>
  scriptedServer(`
    const hostile = ${JSON.stringify(hostile)}
    tools = [
      { name: "echo", title: hostile, description: ${JSON.stringify(description)} + hostile,
        inputSchema: { type: "object", properties: { [hostile]: { type: "string", description: hostile } } } },
      { name: hostile, description: hostile, inputSchema: { type: "object" } },
      { name: hostile, inputSchema: { type: "object" } },
      { name: hostile + "2", inputSchema: { type: "array", [hostile]: 1 } },
      { name: "fails", description: "Fails.", inputSchema: { type: "object" } },
    ]
    on["tools/call"] = ({ id, params }) => params.name === "fails"
      ? send({ id, error: { code: -32000, message: hostile, data: hostile } })
      : answer(id, { content: [{ type: "text", text: hostile }], structuredContent: { [hostile]: hostile } })
  `)

describe("what reaches a person's terminal", () => {
  it("O3: is printable when it comes from a sandbox: names, content, live output, warnings, errors", async () => {
    const ground = openMcpFixture({ tools: { policy: "full" } })
    const local = ["--host", "local", "--cwd", ground.directory]
    const command = `printf '\\033]0;owned\\007\\233\\302\\2332J\\r\\033[35mx\\342\\200'; printf '\\256' >&2; sleep 0.1`
    const calls = [
      ["file.list", { path: "." }],
      ["file.read", { path: hostileName }],
      ["file.read", { path: `${hostileName}-gone` }],
      ["file.glob", { pattern: "**" }],
      ["file.grep", { pattern: "owned" }],
      ["file.read", { path: hostileName, [hostile]: 1 }],
      ["shell.exec", { command }],
      [`no.tool${hostileName}`, {}],
    ] as const
    writeFileSync(join(ground.directory, hostileName), hostile)
    const input = calls.map(([tool, one], id) => JSON.stringify({ id, tool, input: one }))
    writeFileSync(join(ground.directory, "input"), input.join("\n"))
    const lines = [
      ...calls.flatMap(([tool, one]) =>
        [[], ["--json"]].map((more) => ["call", tool, JSON.stringify(one), ...local, ...more]),
      ),
      ...["cloudflare", "flynn", "openrath", "flue"].map((dialect) => [
        ...["call", "--dialect", dialect, hostile, JSON.stringify({ a: hostile }), ...local],
      ]),
      ["call", "--batch", ...local],
    ]
    const seen = await onTerminal(ground, lines)
    for (const [index, one] of seen.entries()) expectHarmless(one, lines[index])
  }, 120_000)

  it("O3, Y15: is printable when it comes from a server, the configuration, the command line or a module", async () => {
    const refusing = createServer((_, response) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(hostile)
    })
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      refusing.closeAllConnections()
      refusing.close()
    })
    const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}/mcp`
    const complaint = `process.stderr.write(${JSON.stringify(`error: ${hostile}\n`)}); process.exit(1)`
    const config = (description: string) => ({
      tools: {
        policy: "full",
        rules: [{ deny: "shell.exec", when: { command: "rm" }, because: hostile }],
      },
      mcpServers: {
        odd: hostileServer(description),
        dying: scriptedServer(complaint),
        refusing: { url },
        absent: { command: hostileName },
      },
      images: { [`odd${hostile}`]: `/nowhere/${hostileName}` },
    })
    const ground = openMcpFixture(config("First."))
    writeFileSync(join(ground.directory, "input"), "")
    const host = join(ground.directory, "host.mjs")
    writeFileSync(host, `throw new Error(${JSON.stringify(hostile)})`)
    const memory = ["--host", "memory"]
    const { images: _, ...withoutImages } = config("First.")
    writeFileSync(join(ground.directory, "toolkeep.yaml"), stringify(withoutImages))
    const before = [
      ["tools", ...memory],
      ["tools", "mcp:odd:echo", ...memory],
      ["tools", "--format", "openai", ...memory],
      ["tools", "--json", ...memory],
      ["call", "mcp:odd:echo", "{}", ...memory],
      ["call", "mcp:odd:echo", "{}", "--json", ...memory],
      ["call", "mcp:odd:fails", "{}", ...memory],
      ["call", "mcp:dying:echo", "{}", ...memory],
      ["policy", "explain", "shell.exec", '{"command": "rm x"}', ...memory],
      ["policy", "explain", "shell.exec", JSON.stringify({ [hostile]: hostile }), ...memory],
      ["policy", "explain", hostile, ...memory],
      ["policy", hostile, "shell.exec", ...memory],
      ["mcp", "list", ...memory],
      ["mcp", "list", "--json", ...memory],
      ["mcp", "login", hostile],
      ["mcp", "login", "refusing", "--port", "0"],
      ["mcp", "logout", hostile],
      ["mcp", hostile],
      [hostile],
      ["call", `--${hostile}`],
      ["call", "file.list", "--cwd", hostile, "--host", "local"],
      ["call", "file.list", "--dialect", hostile, ...memory],
      ["call", "file.list", "--dialect", `${hostileName}.yaml`, ...memory],
      ["call", "file.list", "--host", hostile],
      ["call", "file.list", "--sandbox", hostile],
      ["call", "file.list", "--network", hostile, ...memory],
      ["tools", "--config", hostileName],
      ["tools", "--profile", hostile, ...memory],
      ["tools", "--format", hostile],
      ["tools", "--defer", hostile],
      ["conform", host],
      ["conform", `${hostileName}.mjs`],
      ["conform", "--host", hostile],
      ["conform", "--only", hostile, ...memory],
    ]
    const shown = await onTerminal(ground, before)
    for (const [index, one] of shown.entries())
      expectHarmless(one, before[index], { isMarked: false })
    const unmarked = before.filter((_, index) => !marks.test(shown[index] ?? ""))
    // Of a tool's description nothing of the kind is left, and not everything quotes what it was given.
    expect(unmarked.length).toBeLessThan(before.length / 4)
    const changed = config("Changed.")
    writeFileSync(join(ground.directory, "toolkeep.yaml"), stringify(changed))
    const after = [
      ["mcp", "list", ...memory],
      ["mcp", "approve", "odd", hostile, ...memory],
      ["mcp", "approve", "odd", ...memory],
      ["mcp", "approve", hostile, ...memory],
      ["doctor"],
      ["doctor", "--json"],
    ]
    const seen = await onTerminal(ground, after)
    for (const [index, one] of seen.entries()) expectHarmless(one, after[index])
    // The definition that a person is about to approve, with what it hides.
    expect(seen[0]).toMatch(/mcp:odd:echo +held: The definition .*\n {4}\| object of 4 entries\n/)
    expect(seen[0]).toContain('"Changed.<U+001B>[35;8mred')
    expect(seen[2]).toMatch(/^Approved as they are now, of odd: echo, "\\u001b.+", fails\.\n$/)
  }, 120_000)

  it("O3, F18: is printable when it comes from a recorded session, and no name or option begins a line", async () => {
    const ground = openMcpFixture()
    writeFileSync(join(ground.directory, "input"), "")
    const file = join(ground.directory, "session.jsonl")
    const name = `${hostile}\nquestion_2 forged`
    const text = { role: "user", content: [{ type: "text", text: hostile }] }
    const envelope = { ok: false, tool: hostile, kind: `${hostile}\n9 forged`, message: hostile }
    const bodies = {
      message: { message: text },
      envelope: { call: hostile, envelope },
      call: { call: hostile, tool: hostile, input: { [hostile]: hostile } },
      [`${hostile}\n8 forged`]: { [hostile]: hostile },
    }
    const entries = Object.entries(bodies).map(([kind, body], index) => {
      return { sequence: index + 1, parent: index || null, at: 1, kind, body }
    })
    const body = { kind: "clarify", text: hostile, tool: hostile, options: [`${hostile}\nforged`] }
    const question = { question: "q1", call: hostile, asked: 1, answer: null, taken: false, body }
    const counts = { entries: entries.length, questions: 1 }
    const first = { toolkeep: "session", version: 1, name, state: "idle", ...counts }
    const written = [first, ...entries, question].map((line) => JSON.stringify(line)).join("\n")
    writeFileSync(file, written)
    const lines = [
      ["sessions", "import", file],
      ["sessions", "list"],
      ["sessions", "show", name],
      ["sessions", "export", name],
      ["sessions", "show", hostile],
      ["approve"],
      ["replay", name, "--host", "memory"],
      ["sessions", "release", name],
      ["sessions", "delete", name],
    ]
    const seen = await onTerminal(ground, lines)
    for (const [index, one] of seen.entries()) {
      expectHarmless(one, lines[index], { isMarked: lines[index]?.[0] !== "replay" })
      expect(one).not.toMatch(/^\s*\S* ?forged/m)
    }
  }, 120_000)

  it("O3, Y14: is printable when it comes from a client of toolkeep up", async () => {
    const ground = openMcpFixture({ tools: { policy: "full" } })
    writeFileSync(join(ground.directory, "input"), "")
    const child = startOnTerminal(ground, [
      "src/cli/main.ts",
      "up",
      "--port",
      "0",
      "--host",
      "memory",
    ])
    const pieces: Buffer[] = []
    child.stdout?.on("data", (piece: Buffer) => pieces.push(piece))
    const closed = new Promise((resolve) => child.once("close", resolve))
    const seen = () => seenIn(Buffer.concat(pieces))
    await expect.poll(seen).toContain("Ctrl-C stops the server.")
    const url = /is up at (\S+)/.exec(seen())?.[1] ?? ""
    const token = readFileSync(join(ground.home, "token"), "utf8").trim()
    const post = (body: object, session?: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          ...(session !== undefined && { "mcp-session-id": session }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      })
    const started = await post({
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: `${hostile}\nfake line`, version: hostile },
      },
    })
    await started.text()
    const session = started.headers.get("mcp-session-id") ?? undefined
    const call = (name: string, input: object) =>
      post({ id: 2, method: "tools/call", params: { name, arguments: input } }, session)
    await (await call("file_write", { path: `a${hostile}`, content: hostile })).text()
    await (await call(`gone${hostile}`, { a: hostile })).text()
    await (await call("shell_exec", { command: `echo '${hostile}'` })).text()
    await expect.poll(seen).toContain("shell_exec")
    child.kill("SIGTERM")
    await closed
    expectHarmless(seen(), "up")
    expect(seen()).not.toMatch(/^fake line/m)
  }, 120_000)
})
