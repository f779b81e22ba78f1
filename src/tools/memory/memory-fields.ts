import { ToolFailure, text } from "../../contract/index.ts"
import { nearest } from "../../kit/index.ts"
import type { MemoryStore } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { invalidArgument } from "../arguments.ts"

export const namespaceArgument = {
  type: "string",
  minLength: 1,
  maxLength: memoryLimits.namespaceCharacters,
  // No space around it and no control character in it. Bounded, so that a megabyte is refused at once and not after a
  // look at each of its characters.
  pattern: `^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f]{0,${memoryLimits.namespaceCharacters}}[^\\s\\x00-\\x1f\\x7f-\\x9f])?$`,
  description: 'Such as "user" or "project/website"; no space at its ends.',
} as const

/** A name that can be read aloud has nothing invisible in it, which no pattern says in the same words everywhere. */
export function requireVisible(namespace: string): void {
  if (!/\p{C}/u.test(namespace)) return
  throw invalidArgument(
    "namespace",
    "namespace contains an invisible character.",
    'a name such as "user" or "project/website"',
  )
}

export function idArgument(what: string) {
  return text(`${what}, such as "memory_7d2k0v9w3q1x".`, { maxLength: 100 })
}

const named = 5

/** Names the namespaces that may have been meant. */
export async function noSuchNamespace(
  store: MemoryStore,
  namespace: string,
  signal: AbortSignal,
): Promise<ToolFailure> {
  const all = (await store.namespaces("", { signal })).map(({ name }) => name)
  return new ToolFailure({
    kind: "not_found",
    message: `There is no namespace ${JSON.stringify(namespace)} in memory. ${hint(namespace, all)}`,
    field: "namespace",
  })
}

function hint(namespace: string, all: readonly string[]): string {
  if (all.length === 0) return "Nothing has been written to memory yet."
  const near = nearest(namespace, all)
  const alike = all.filter((name) => name.includes(namespace) || namespace.includes(name))
  const meant = [...new Set([...(near === null ? [] : [near]), ...alike])].slice(0, named)
  if (meant.length > 0) return `Near it: ${quoted(meant)}.`
  const more = all.length > named ? `, and ${all.length - named} more` : ""
  return `There are: ${quoted(all.slice(0, named))}${more}.`
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ")
}

export function noSuchEntry(namespace: string, id: string): ToolFailure {
  return new ToolFailure({
    kind: "not_found",
    message: `${JSON.stringify(namespace)} has no entry ${JSON.stringify(id)}. Read the namespace for its ids.`,
    field: "id",
  })
}
