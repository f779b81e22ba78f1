import { memoryLimits } from "../../store/index.ts"

export const namespaceArgument = {
  type: "string",
  minLength: 1,
  maxLength: memoryLimits.namespaceCharacters,
  // A name that can be read aloud: nothing invisible in it, no space around it. Bounded, so that a
  // megabyte is refused at once and not after a look at each of its characters.
  pattern: `^[^\\s\\p{C}]([^\\p{C}]{0,${memoryLimits.namespaceCharacters}}[^\\s\\p{C}])?$`,
  description:
    'What it is about, with no space at either end, such as "user" or "project/website".',
} as const

export const idArgument = (what: string) =>
  ({
    type: "string",
    minLength: 1,
    maxLength: 100,
    description: `${what}, such as "memory_7d2k0v9w3q1x".`,
  }) as const

/** A moment as text that sorts and that models read. */
export function timeFrom(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** ISO 8601, in UTC. */
export const timeSchema = { type: "string" } as const
