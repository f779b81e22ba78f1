import { ToolFailure } from "../../contract/index.ts"
import type { Session, Toolkeep } from "../../session/index.ts"
import { httpLimits } from "../limits.ts"

export interface OwnSessionsDeps {
  readonly toolkeep: Toolkeep
  /** Whether the server's agent works in a session. */
  readonly hasRun: (session: string) => boolean
}

/** The sessions that the API has opened. */
export interface OwnSessions {
  /** The session, opened where it is not: it is recorded, and its sandboxes outlive the server. */
  open(name: string): Session
}

/**
 * Where the server has as many sessions open as it may, the one that was not used for longest is closed: its record and its
 * sandboxes are as they were when it is used again.
 */
export function createOwnSessions({ toolkeep, hasRun }: OwnSessionsDeps): OwnSessions {
  /** In the order of their last use. */
  const opened = new Map<string, Session>()

  const isIdle = (session: Session) =>
    session.running().length === 0 &&
    session.sandboxes.list().every(({ status }) => status === "sleeping") &&
    !hasRun(session.name) &&
    // MCP clients use these too, and close them themselves.
    !session.name.startsWith("mcp ")
  function makeRoom(open: readonly Session[]): void {
    for (const [name, session] of opened) if (!open.includes(session)) opened.delete(name)
    const idle = [...opened.values()].find(isIdle)
    if (!idle) throw tooMany()
    opened.delete(idle.name)
    // Nothing in it works any more: what fails now fails again, in words, where it is used.
    void idle.close().catch(() => {})
  }

  return {
    open(name) {
      const open = toolkeep.sessions()
      const known = open.find((session) => session.name === name)
      if (!known && open.length >= httpLimits.sessions) makeRoom(open)
      const session = known ?? toolkeep.session(name, { durable: true, record: true })
      if (known && opened.get(name) !== known) return session
      opened.delete(name)
      opened.set(name, session)
      return session
    },
  }
}

function tooMany(): ToolFailure {
  const message = `The server has ${httpLimits.sessions} sessions open, and something works in each: a call, a run, or a sandbox that is not asleep. Wait until one is done, or delete a session.`
  return new ToolFailure({ kind: "unavailable", message, retryable: true })
}
