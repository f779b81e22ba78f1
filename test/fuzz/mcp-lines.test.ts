import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server"
import { expect, it, onTestFinished } from "vitest"
import { serverLimits } from "../../src/mcp/limits.ts"
import { commandLine } from "../support/built-package.ts"
import { meaningOf, nearMessages } from "./near-messages.ts"
import { createRandom, type Random } from "./random.ts"

const clientInfo = { name: "fuzz", version: "1.0.0" }
const meta = {
  [PROTOCOL_VERSION_META_KEY]: "2026-07-28",
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: {},
}

/** How each generation begins, and what makes a request one of its own. */
const generations = [
  {
    generation: "2025-11-25",
    meta: undefined,
    opening: {
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    },
  },
  { generation: "2026-07-28", meta, opening: { method: "tools/list", params: { _meta: meta } } },
]

/** `toolkeep mcp`, as a client starts it. */
function serve() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-fuzz-"))
  const child = spawn(process.execPath, [commandLine, "mcp", "--host", "memory"], {
    cwd: home,
    env: { ...process.env, TOOLKEEP_HOME: home },
  })
  const answers = new Map<string, number>()
  let errors = ""
  let left = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (left + text).split("\n")
    left = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line)
      if (!("method" in message)) count(answers, message.id)
    }
  })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
    rmSync(home, { recursive: true, force: true })
  })
  return { child, answers, ended, errors: () => errors }
}

const keyOf = (id: unknown) => `${typeof id} ${String(id)}`

function count(counts: Map<string, number>, id: unknown): void {
  counts.set(keyOf(id), (counts.get(keyOf(id)) ?? 0) + 1)
}

/** In pieces that end anywhere, also within a character. */
async function write(stream: NodeJS.WritableStream, bytes: Buffer, random: Random): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const size = random.chance(0.5) ? 1 + random.below(40) : 1 + random.below(100_000)
    const piece = bytes.subarray(at, at + size)
    at += piece.length
    if (!stream.write(piece)) await new Promise<void>((resolve) => stream.once("drain", resolve))
    else if (random.chance(0.2)) await new Promise(setImmediate)
  }
}

/** Lines as bytes, some of them in no encoding. */
function line(text: string, random: Random): Buffer {
  const bytes = Buffer.from(`${text.replaceAll("\n", " ")}\n`)
  if (random.chance(0.97) || bytes.length < 3) return bytes
  const broken = random.pick([0x80, 0xff, 0xc3, 0xf0])
  bytes[random.below(bytes.length - 1)] = broken
  return bytes
}

it.each(generations)(
  "F20: 2,000 lines to a server on standard input, nearly of $generation: each request has one answer, and nothing is thrown",
  async ({ meta: own, opening }) => {
    const random = createRandom(20261116)
    const messages = nearMessages(random, own)
    const { child, answers, ended, errors } = serve()
    const first = JSON.stringify({ jsonrpc: "2.0", id: "first", ...opening })
    const lines: Buffer[] = [Buffer.from(`${first}\n`)]
    for (let each = 0; each < 2_000; each += 1) lines.push(line(messages.text(), random))
    // What is too large is passed over to its end, and the next line is read.
    lines.splice(1_000, 0, Buffer.alloc(serverLimits.messageBytes + 2, "x"), Buffer.from("\n"))
    // Whoever cancels may still be answered, and nobody else is harmed.
    for (let each = 0; each < 100; each += 1) {
      const id = `cancelled ${each}`
      const params = { name: "file_read", arguments: { path: "a.txt" }, ...(own && { _meta: own }) }
      const call = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })
      const cancel = { method: "notifications/cancelled", params: { requestId: id } }
      const both = `${call}\n${JSON.stringify({ jsonrpc: "2.0", ...cancel })}\n`
      lines.splice(1 + random.below(lines.length - 1), 0, Buffer.from(both))
    }
    const bytes = Buffer.concat(lines)
    const expected = new Map<string, number>()
    for (const one of bytes.toString("utf8").split("\n").slice(0, -1)) {
      const meaning = meaningOf(one)
      if (meaning.kind === "request" || meaning.kind === "bad") count(expected, meaning.id)
    }
    await write(child.stdin, bytes, random)
    const wrong = () => {
      const all = new Set([...expected.keys(), ...answers.keys()])
      return [...all].flatMap((id) => {
        const [sent, got] = [expected.get(id) ?? 0, answers.get(id) ?? 0]
        const isRight = got === sent || (id.startsWith("string cancelled ") && got < 2)
        return isRight ? [] : [`${id}: ${got} answers to ${sent}`]
      })
    }
    await expect.poll(wrong).toEqual([])
    // Neither all right nor all wrong: that would prove nothing.
    expect(expected.get(keyOf(null))).toBeGreaterThan(150)
    expect(expected.size).toBeGreaterThan(800)
    const last = { id: "last", method: "tools/list", params: own ? { _meta: own } : {} }
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...last })}\n`)
    await expect.poll(() => answers.get(keyOf("last"))).toBe(1)
    child.stdin.end()
    expect(await ended).toBe(0)
    expect(errors()).toBe("")
  },
  120_000,
)
