import { mutateInput } from "./mutate-input.ts"
import type { Random } from "./random.ts"

/** What JSON-RPC 2.0 says about a text, told without the server's own reader. */
export type Meaning =
  | { readonly kind: "request"; readonly id: string | number }
  | { readonly kind: "notification" | "answer" | "nothing" }
  | { readonly kind: "bad"; readonly id: string | number | null }

export function meaningOf(text: string): Meaning {
  if (text.trim() === "") return { kind: "nothing" }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: "bad", id: null }
  }
  return meaningOfValue(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function meaningOfValue(value: unknown): Meaning {
  if (!isRecord(value)) return { kind: "bad", id: null }
  const { jsonrpc, method, params, id, result, error } = value
  const isId = typeof id === "string" || Number.isSafeInteger(id)
  const own = isId ? (id as string | number) : null
  if (
    jsonrpc === "2.0" &&
    typeof method === "string" &&
    (params === undefined || isRecord(params))
  ) {
    if (!hasMeta(params)) return { kind: "bad", id: own }
    if (id === undefined) return { kind: "notification" }
    if (own !== null) return { kind: "request", id: own }
  }
  const isAnswer = jsonrpc === "2.0" && own !== null && (isRecord(result) || isRecord(error))
  return isAnswer ? { kind: "answer" } : { kind: "bad", id: own }
}

/** What a message says about itself has one form in this protocol. */
function hasMeta(params: Record<string, unknown> | undefined): boolean {
  const meta = params?._meta
  if (meta === undefined) return true
  if (!isRecord(meta)) return false
  const { progressToken: token } = meta
  return token === undefined || typeof token === "string" || Number.isSafeInteger(token)
}

/** Messages that a client may send; each is quick, and needs nobody. */
const requests: readonly (readonly [string, object])[] = [
  ["ping", {}],
  ["tools/list", {}],
  ["tools/list", { cursor: "none" }],
  ["tools/call", { name: "file_read", arguments: { path: "a.txt" } }],
  ["tools/call", { name: "file_write", arguments: { path: "a.txt", content: "x" } }],
  ["tools/call", { name: "test_echo", arguments: { word: "x" } }],
  ["tools/call", { name: "test_echo", arguments: { word: "x" }, _meta: { progressToken: 1 } }],
  ["tools/call", { name: "nobody_has_it" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "toolkeep://artifact/artifact_none" }],
  ["prompts/list", {}],
  ["completion/complete", { ref: { type: "ref/prompt", name: "x" }, argument: {} }],
  ["logging/setLevel", { level: "debug" }],
  ["server/discover", {}],
  ["no/such/method", { a: 1 }],
]

const notifications: readonly (readonly [string, object])[] = [
  ["notifications/initialized", {}],
  ["notifications/roots/list_changed", {}],
  ["notifications/progress", { progressToken: 1, progress: 1 }],
  ["notifications/cancelled", { requestId: "nobody's", reason: "x" }],
  ["notifications/no-such", {}],
]

const ids = ["", "x", "__proto__", "constructor", "\u0000", "😀", "x".repeat(5_000), -1, 0, 2 ** 53]

export interface NearMessages {
  /** The value of a message, nearly right; its id, if it has one, is no other message's. */
  value(): unknown
  /** The same as text, or something that is none. */
  text(): string
}

/** `meta` is what each request of the newer generation says about its client. */
export function nearMessages(random: Random, meta?: object): NearMessages {
  let count = 0
  const freshId = () => {
    count += 1
    if (random.chance(0.5)) return count
    return random.chance(0.9) ? `id ${count}` : `${random.pick(ids)}${count}`
  }

  function right(): Record<string, unknown> {
    const kind = random.below(10)
    if (kind === 0) {
      const [method, params] = random.pick(notifications)
      return { jsonrpc: "2.0", method, params }
    }
    if (kind === 1) {
      const answer = random.chance(0.5) ? { result: {} } : { error: { code: -1, message: "no" } }
      return { jsonrpc: "2.0", id: freshId(), ...answer }
    }
    const [method, params] = random.pick(requests)
    const own = "_meta" in params ? (params._meta as object) : {}
    return {
      jsonrpc: "2.0",
      id: freshId(),
      method,
      params: meta ? { ...params, _meta: { ...own, ...meta } } : params,
    }
  }

  /** What a change made of the id could be another message's, so that it gets its own again. */
  function value(): unknown {
    const whole = right()
    if (random.chance(0.4)) return whole
    const mutated = mutateInput(whole, random)
    if (meaningOfValue(mutated).kind !== "request") return mutated
    return { ...(mutated as object), id: freshId() }
  }

  return {
    value,
    text() {
      const text = textOf(value())
      if (random.chance(0.85)) return text
      return random.pick(garbage)(text, random)
    },
  }
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "undefined"
  } catch {
    // A bigint, or nested too deep to be written.
    return "9".repeat(30)
  }
}

type Garbage = (text: string, random: Random) => string

/** Texts that are no message, or one in an odd form. */
const garbage: readonly Garbage[] = [
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => text.slice(random.below(text.length)),
  (text) => `${text}${text}`,
  (text) => `[${text}]`,
  (text) => `\ufeff${text}`,
  (text) => ` \t${text}\r`,
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace("{", '{"jsonrpc":"1.0",'),
  (text) => text.replace("{", '{"__proto__":{"id":7},'),
  (text) => text.replace(/"id":[^,]*,/, '"id":1e999,'),
  (text) => text.replace("{", `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)},`),
  (_, random) => "\u0000".repeat(1 + random.below(20)),
  () => "Content-Length: 20\r",
  () => "not a message",
  () => "null",
]
