import type { Capabilities, JsonSchema } from "../../contract/index.ts"
import type { SandboxLimitsRequest } from "../../sandbox/index.ts"
import { sandboxLimits } from "../../sandbox/index.ts"

const least = sandboxLimits

/** At most what the host gives anyway: more is for the program that opened the session. */
const offered = {
  memory_bytes: {
    limit: "memoryBytes",
    type: "integer",
    minimum: least.memoryBytesLeast,
    description: "The memory of all its commands together, such as 536870912.",
  },
  disk_bytes: {
    limit: "diskBytes",
    type: "integer",
    minimum: least.diskBytesLeast,
    description: "What its files may take together, such as 1073741824.",
  },
  processes: {
    limit: "processes",
    type: "integer",
    minimum: least.processesLeast,
    description: "How many processes it may have at once, such as 100.",
  },
  processors: {
    limit: "processors",
    type: "number",
    minimum: least.processorsLeast,
    description: "How much of the processors it gets, such as 0.5.",
  },
} as const

type LimitArgument = keyof typeof offered

export type LimitsInput = Readonly<Partial<Record<LimitArgument, number>>>

const names = Object.keys(offered) as LimitArgument[]

/** The limits that the host holds a sandbox to; null when there is none. */
export function limitsArgument({ limits: given }: Capabilities): JsonSchema | null {
  const properties = names.flatMap((name) => {
    const { limit, ...schema } = offered[name]
    const most = given[limit]
    return most === null || most < schema.minimum ? [] : [[name, { ...schema, maximum: most }]]
  })
  if (properties.length === 0) return null
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    description: "Less than what sandboxes get here when nothing is said.",
  }
}

export function limitsOf(input: LimitsInput | undefined): SandboxLimitsRequest | undefined {
  if (input === undefined) return undefined
  return Object.fromEntries(names.map((name) => [offered[name].limit, input[name]]))
}
