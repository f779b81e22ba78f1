import { isIPv6 } from "node:net"
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
    results: readChoice(given, "results", ["text", "structured", "both"]),
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
export function readPort(given: string | undefined, name = "--port"): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(
    `${name} must be a number from 0 (any free port) to 65535, such as ${name === "PORT" ? "PORT=7701" : "--port 7701"}.`,
  )
}

/** Where a server listens: `--listen`, `--port`, or else the variable PORT. */
export function readAddress(
  given: Arguments,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly hostname?: string; readonly port: number | undefined } {
  const listen = given.text("listen")
  if (listen === undefined) {
    const variable = environment.PORT === "" ? undefined : environment.PORT
    return { port: readPort(given.text("port")) ?? readPort(variable, "PORT") }
  }
  if (given.text("port") !== undefined) {
    throw new UsageError("--listen already has the port; leave out --port.")
  }
  const [, hostname, port] = /^(.+):(\d{1,5})$/.exec(listen) ?? []
  const bare = hostname?.replace(/^\[(.*)\]$/, "$1") ?? ""
  const isName = /^[\w.-]+$/.test(bare) || isIPv6(bare)
  if (port !== undefined && isName && Number(port) <= 65_535) {
    return { hostname: bare, port: Number(port) }
  }
  throw new UsageError(
    "--listen must be an address and a port, such as --listen 127.0.0.1:7701 or --listen [::1]:7701.",
  )
}

/** `--public-url`. */
export function readPublicUrl(given: Arguments): string | undefined {
  const text = given.text("public-url")
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && url.pathname === "/") return url.origin
  throw new UsageError(
    "--public-url must be the address that leads here, without a path, such as --public-url https://tools.example.com.",
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

/** A flag that takes an amount of money; undefined when it was not given. */
export function readAmount(given: Arguments, flag: string): number | undefined {
  const text = given.text(flag)
  if (text === undefined) return undefined
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text)
  throw new UsageError(`--${flag} must be a number above 0, such as --${flag} 0.50.`)
}

/** A flag that takes a whole number from 1; undefined when it was not given. */
export function readCount(given: Arguments, flag: string): number | undefined {
  const text = given.text(flag)
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} must be a whole number from 1, such as --${flag} 20.`)
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

/** A flag that takes a time, such as "10m", in milliseconds; undefined when it was not given. */
export function readTime(given: Arguments, flag: string): number | undefined {
  const text = given.text(flag)
  if (text === undefined) return undefined
  const [, number, unit = ""] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? []
  const one = unitMs[unit]
  if (number !== undefined && one !== undefined) return Number(number) * one
  throw new UsageError(`--${flag} must be a time such as 90s, 10m or 2h.`)
}

/** All of standard input, for an argument that is "-". */
export async function readInput(): Promise<string> {
  const { text } = await import("node:stream/consumers")
  return text(process.stdin)
}
