import { mimeTypeOfBytes } from "../../../src/node/index.ts"

/** What the scripted model does in one turn. */
export type Turn =
  | { readonly calls: readonly { readonly name: string; readonly input: unknown }[] }
  | { readonly text: string }

/** One provider's API: what it refuses and how it answers. */
export interface Api {
  readonly path: RegExp
  /** Throws a BadRequest for what the real API refuses. */
  check(body: Json, headers: Readonly<Record<string, unknown>>): void
  /** `id` is different for each call of each turn. */
  answer(turn: Turn, id: (index: number) => string): object
  /** The body of a refusal. */
  refusal(message: string): object
}

// biome-ignore lint/suspicious/noExplicitAny: it comes from outside, and each check looks at the part that it is about.
export type Json = any

export class BadRequest extends Error {}

export function demand(condition: unknown, message: string): asserts condition {
  if (!condition) throw new BadRequest(message)
}

/** The real APIs refuse fields that they do not know. */
export function demandFields(value: Json, known: string, at: string): void {
  demand(typeof value === "object" && value !== null, `${at}: Input should be an object`)
  const extra = Object.keys(value).find((key) => !known.split(" ").includes(key))
  demand(extra === undefined, `${at}.${extra}: Extra inputs are not permitted`)
}

/** Names, uniqueness and schemas of the tools that a request offers. */
export function demandTools(tools: readonly { name: Json; schema: Json }[], name: RegExp): void {
  for (const tool of tools) {
    demand(name.test(tool.name), `tools: invalid name ${JSON.stringify(tool.name)}`)
    demand(tool.schema?.type === "object", `tools: the schema of ${tool.name} is not an object's`)
  }
  demand(
    new Set(tools.map((tool) => tool.name)).size === tools.length,
    "tools: names are not unique",
  )
}

/** Base64 of an image that is what it is said to be. */
export function demandImage(mimeType: Json, data: Json, types: readonly string[]): void {
  demand(types.includes(mimeType), `Unsupported image type ${JSON.stringify(mimeType)}`)
  const isBase64 = typeof data === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  demand(isBase64, "Image data is not base64")
  demand(data.length <= 5 * 1024 ** 2, "image exceeds 5 MB maximum")
  const found = mimeTypeOfBytes(Buffer.from(data, "base64"))
  demand(found === mimeType, `Image was declared as ${mimeType}, but is ${found}`)
}

export function demandDataUrl(url: Json): void {
  const [, mimeType, data] = /^data:([^;]+);base64,(.*)$/.exec(String(url)) ?? []
  demandImage(mimeType, data, ["image/png", "image/jpeg", "image/gif", "image/webp"])
}

/** Each call has exactly one answer. */
export function demandPairs(calls: readonly Json[], answers: readonly Json[], what: string): void {
  const unanswered = calls.filter((id) => !answers.includes(id))
  demand(unanswered.length === 0, `${what}: no answer for the calls ${unanswered.join(", ")}`)
  const unasked = answers.filter((id) => !calls.includes(id))
  demand(unasked.length === 0, `${what}: answers without a call: ${unasked.join(", ")}`)
  demand(new Set(answers).size === answers.length, `${what}: a call is answered twice`)
}
