import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { Client, type ClientOptions } from "@modelcontextprotocol/client"
import type { PolicyConfig } from "../../../src/config/index.ts"
import { defineTool, type Tool } from "../../../src/contract/index.ts"
import type { McpLimits, ResultForm } from "../../../src/mcp/server/calls/mcp-client.ts"
import { lineTransport } from "../../../src/mcp/server/stdio/line-transport.ts"
import { serveStdio } from "../../../src/mcp/server/stdio/serve-stdio.ts"
import {
  type Defer,
  openToolkeep,
  type Session,
  type Toolkeep,
} from "../../../src/session/index.ts"

/** For tests: the two generations of the protocol, and how a client asks for each. */
export const generations = [
  { generation: "2025-11-25", mode: "legacy" },
  { generation: "2026-07-28", mode: { pin: "2026-07-28" } },
] as const

export type Generation = (typeof generations)[number]

export interface McpFixture extends AsyncDisposable {
  readonly session: Session
  readonly home: string
  readonly input: PassThrough
  readonly output: PassThrough
  /** Resolves when the server has nothing more to do. */
  readonly done: Promise<void>
  connect(generation: Generation, options?: ClientOptions): Promise<Client>
  /** As a signal does. */
  readonly stop: () => void
}

export interface McpFixtureOptions {
  readonly host?: string
  readonly policy?: PolicyConfig
  readonly tools?: (session: () => Session) => readonly Tool[]
  readonly persistAnswers?: boolean
  readonly home?: string
  readonly mountRoots?: "read" | "write"
  readonly limits?: Partial<McpLimits>
  readonly defer?: Defer
  /** Both forms when absent, so that a test can look at either. */
  readonly results?: ResultForm
}

/** For tests: a server on a pair of streams, with a real session behind it. */
export async function openMcpFixture(options: McpFixtureOptions = {}): Promise<McpFixture> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), "toolkeep-mcp-")))
  // The sandbox's user walks through it.
  await chmod(home, 0o755)
  const keep: Toolkeep = await openToolkeep({
    host: options.host ?? "memory",
    home,
    record: options.persistAnswers ?? false,
    tools: options.tools?.(() => session) ?? [],
    ...(options.policy && { policy: options.policy }),
    ...(options.defer && { defer: options.defer }),
  })
  const session = keep.session("mcp")
  const input = new PassThrough()
  const output = new PassThrough()
  const stop = new AbortController()
  const { persistAnswers, mountRoots, limits, results = "both" } = options
  const { signal } = stop
  const served = { persistAnswers, mountRoots, limits, results }
  const done = serveStdio(session, { ...served, input, output, signal })
  return {
    session,
    home,
    input,
    output,
    done,
    stop: () => stop.abort(),
    async connect({ mode }, clientOptions = {}) {
      const information = { name: "test", version: "1.0.0" }
      const client = new Client(information, { ...clientOptions, versionNegotiation: { mode } })
      await client.connect(lineTransport({ input: output, output: input }) as never)
      return client
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
      await keep.close()
      if (options.home === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}

const nothing = { type: "object", properties: {}, additionalProperties: false } as const

/** A tool without arguments. */
export function simpleTool(name: string, run: Tool["run"]): Tool {
  return defineTool({ name, description: `Does ${name}.`, input: nothing, run: run as never })
}

/** A tool that makes a file for the person. */
export function fileTool(
  name: string,
  session: () => Session,
  files: readonly { filename: string; mimeType: string; content: Uint8Array }[],
): Tool {
  return simpleTool(name, async () => {
    const kept = await Promise.all(files.map((file) => session().artifacts.keep(file)))
    const artifacts = kept.map(({ id, filename, mimeType, size, path }) => ({
      artifact: { id, filename, mime_type: mimeType, size, path },
    }))
    return { text: "Made it.", files: artifacts }
  })
}
