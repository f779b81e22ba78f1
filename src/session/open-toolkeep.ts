import type { Tool } from "../contract/index.ts"
import type { Clock } from "../kit/index.ts"
import { createPolicy, type Policy, type PolicyConfig, policyOfProfile } from "../policy/index.ts"
import type { Approver } from "../runtime/index.ts"
import type { Host } from "../sandbox/index.ts"
import { createSession, type Session } from "./create-session.ts"
import { openHost } from "./open-host.ts"

export interface ToolkeepOptions {
  /** "auto", the name of a host, or a host of your own. */
  readonly host?: string | Host
  /** For the local host: the directory to work in. */
  readonly directory?: string
  /** A profile's name, or a whole policy. Everything is allowed when absent. */
  readonly policy?: string | PolicyConfig
  /** Asks a person when the policy says so. */
  readonly approve?: Approver
  /** Your own tools, beside the canonical ones. */
  readonly tools?: readonly Tool[]
  readonly clock?: Clock
}

export interface Toolkeep extends AsyncDisposable {
  readonly host: Host
  /** Why this host was chosen, in a sentence. */
  readonly why: string
  /** The session of this name, made on first use. Sessions share no sandbox. */
  session(name?: string): Session
  close(): Promise<void>
}

/** Opens Toolkeep: a host for sandboxes, a policy, and sessions that call tools. */
export async function openToolkeep(options: ToolkeepOptions = {}): Promise<Toolkeep> {
  const { host: wanted = "auto", directory } = options
  const { host, why } =
    typeof wanted === "string"
      ? await openHost(wanted, { directory })
      : { host: wanted, why: "it was given" }
  const policy = readPolicy(options.policy ?? "full")
  const sessions = new Map<string, Session>()

  async function close(): Promise<void> {
    const open = [...sessions.values()]
    sessions.clear()
    await Promise.all(open.map((session) => session.close()))
  }

  return {
    host,
    why,
    session(name = "default") {
      const session = sessions.get(name) ?? createSession({ ...options, name, host, policy })
      sessions.set(name, session)
      return session
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function readPolicy(policy: string | PolicyConfig): Policy {
  return typeof policy === "string" ? policyOfProfile(policy) : createPolicy(policy)
}
