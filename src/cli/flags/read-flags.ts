import type { Network } from "../../contract/index.ts"
import { type Host, isSandboxName } from "../../sandbox/index.ts"
import type { Defer } from "../../session/index.ts"
import { type Arguments, UsageError } from "./command.ts"

/** A flag that takes one of a few words; undefined when it was not given. */
export function readChoice<Choice extends string>(
  given: Arguments,
  flag: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = given.text(flag)
  const choice = choices.find((one) => one === text)
  if (text === undefined || choice) return choice
  throw new UsageError(
    `--${flag} must be one of ${choices.join(", ")}; not ${JSON.stringify(text)}.`,
  )
}

/** `--defer`. */
export function readDefer(given: Arguments): Defer | undefined {
  return readChoice(given, "defer", ["on", "off", "auto"])
}

/** What the clients of a server share. */
export function readClientOptions(given: Arguments) {
  const mountRoots = readChoice(given, "mount-roots", ["read", "write"])
  if (mountRoots !== undefined && given.text("session") !== undefined) {
    throw new UsageError(
      "--mount-roots cannot be combined with --session: a durable sandbox keeps the roots of its first client.",
    )
  }
  return {
    sandbox: readSandbox(given),
    mountRoots,
    agent: given.text("agent"),
    provider: given.text("provider"),
    persistAnswers: given.is("keep"),
  }
}

/** Reported at the start, not by the first call of an agent. */
export function requireMounts({ name, can }: Host, mountRoots: string | undefined): void {
  if (mountRoots === undefined || can.mounts) return
  throw new UsageError(`the ${name} host cannot mount directories of this machine in a sandbox.`)
}

/** `--network`: none, full, or the domains that may be reached. */
export function readNetwork(given: string | undefined): Network | undefined {
  if (given === undefined) return undefined
  if (given === "none" || given === "full") return { kind: given }
  const domains = given.split(",").map((domain) => domain.trim())
  if (domains.every((domain) => domain.includes("."))) return { kind: "allow-list", domains }
  throw new UsageError(
    "--network takes none, full, or domains, such as --network example.com,example.org.",
  )
}

/** `--port`; undefined when it was not given. */
export function readPort(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(
    "--port must be a number from 0 (any free port) to 65535, such as --port 7701.",
  )
}

/** `--sandbox`. */
export function readSandbox(given: Arguments): string | undefined {
  const sandbox = given.text("sandbox")
  if (sandbox === undefined || isSandboxName(sandbox)) return sandbox
  throw new UsageError(
    `${JSON.stringify(sandbox)} can't name a sandbox: use lower-case letters, digits, "-" and "_", such as "build".`,
  )
}
