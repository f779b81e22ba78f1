import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PolicyConfig } from "../../../src/config/index.ts"
import type { Tool } from "../../../src/contract/index.ts"
import { createVocabulary } from "../../../src/dialects/create-vocabulary.ts"
import type { DialectTable } from "../../../src/dialects/dialect-table.ts"
import type { DialectAnswer } from "../../../src/dialects/index.ts"
import { createPolicy } from "../../../src/policy/index.ts"
import type { Host } from "../../../src/sandbox/index.ts"
import { createSession, type Session } from "../../../src/session/index.ts"
import { catalogue } from "../../../src/tools/index.ts"

export interface Speaking extends AsyncDisposable {
  /** A session of its own in this vocabulary. */
  speak(table: DialectTable, own?: readonly Tool[]): Spoken
}

export interface Spoken {
  readonly session: Session
  tools(): readonly Tool[]
  /** Starts, waits and renders. */
  call(tool: string, input?: unknown): Promise<DialectAnswer>
}

/** The text of an answer, which Cloudflare's vocabulary calls its content and Flynn's its output. */
export function textOf(answer: DialectAnswer): string {
  if (typeof answer === "string") return answer
  if ("content" in answer && typeof answer.content === "string") return answer.content
  if ("output" in answer && typeof answer.output === "string") return answer.output
  throw new Error(`The answer has no text: ${JSON.stringify(answer)}`)
}

const canonical = new Set(catalogue().map(({ name }) => name))

/** For tests: sessions on a host, each in a vocabulary. */
export async function openSpeaking(host: Host, config: PolicyConfig = {}): Promise<Speaking> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-dialects-"))
  const policy = createPolicy({ ...config, tools: { policy: "full", ...config.tools } })
  const sessions: Session[] = []
  return {
    speak(table, tools = []) {
      const session = createSession({
        ...{ name: `dialects-${sessions.length}`, host, policy, home, tools },
        openVocabulary: () => createVocabulary(table, { home: host.can.home, canonical }),
      })
      sessions.push(session)
      return {
        session,
        tools: () => session.tools(),
        call: async (tool, input) => session.render(await session.start(tool, input).envelope),
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.destroy()))
      await rm(home, { recursive: true, force: true })
    },
  }
}
