import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PolicyConfig } from "../../src/config/index.ts"
import type { CallContext, Tool } from "../../src/contract/index.ts"
import { type HttpOptions, serveHttp } from "../../src/mcp/index.ts"
import type { CallEvent } from "../../src/runtime/index.ts"
import {
  type Defer,
  openToolkeep,
  type Session,
  type SessionOptions,
} from "../../src/session/index.ts"

type Clock = NonNullable<HttpOptions["clock"]>

export interface HttpGround extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly home: string
  readonly events: readonly CallEvent[]
  readonly close: () => Promise<void>
}

export interface McpFixtureOptions {
  readonly host?: string
  readonly policy?: PolicyConfig
  readonly tools?: (session: (context: CallContext) => Session) => readonly Tool[]
  readonly persistAnswers?: boolean
  readonly limits?: HttpOptions["limits"]
  /** By which calls and approvals expire. */
  readonly clock?: Clock
  /** By which clients are idle. */
  readonly idleClock?: Clock
  readonly mountRoots?: "read" | "write"
  readonly defer?: Defer
  /** A second token, beside one that is written rather than made. */
  readonly token?: string
}

const ownToken = "a-token-of-the-test"

/** The HTTP server with a home of its own. */
export async function openHttpGround(options: McpFixtureOptions = {}): Promise<HttpGround> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-http-"))
  // The sandbox's user walks through it.
  await chmod(home, 0o755)
  const events: CallEvent[] = []
  const sessions = new Map<string, Session>()
  const sessionOf = ({ callId }: CallContext) => {
    const session = sessions.get(callId)
    if (!session) throw new Error("A call of no session.")
    return session
  }
  const opened = await openToolkeep({
    host: options.host ?? "memory",
    home,
    ...(options.policy && { policy: options.policy }),
    ...(options.defer && { defer: options.defer }),
    ...(options.clock && { clock: options.clock }),
    tools: options.tools?.(sessionOf) ?? [],
  })
  const keep = {
    ...opened,
    session(name?: string, sessionOptions?: SessionOptions) {
      const session = opened.session(name, sessionOptions)
      session.listen((event) => "callId" in event && sessions.set(event.callId, session))
      return session
    },
  }
  const { token } = options
  if (token !== undefined) await writeFile(join(home, "token"), `${ownToken}\n${token}\n`)
  const { persistAnswers, mountRoots, limits, idleClock } = options
  const server = await serveHttp(keep, {
    ...{ persistAnswers, mountRoots, limits, clock: idleClock, port: 0, results: "both" },
    tokenFile: join(home, "token"),
    onCall: (event) => events.push(event),
  })
  return {
    url: server.url,
    token: server.token,
    home,
    events,
    close: server.close,
    async [Symbol.asyncDispose]() {
      await server.close()
      await opened.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
