import { type Failure, isObject, parseObject, type Tool } from "../contract/index.ts"
import { deniedBecause } from "../runtime/index.ts"
import type { DialectTexts } from "./dialect-table.ts"

/** A call, as far as the texts about it depend on it. */
export interface CallFacts {
  /** Its name as the model knows it. */
  readonly tool: string
  readonly inputSchema: Tool["inputSchema"]
  /** As the model sent it. */
  readonly input: unknown
  /** Whether the policy allows the tool at all. */
  readonly isAllowed: boolean
  /** The shortest of its deadlines; undefined where it has none. */
  readonly afterMs: number | undefined
}

/** A failure with the dialect's own text, where it has one that fits. */
export function withOwnText(failed: Failure, texts: DialectTexts, facts: CallFacts): Failure {
  const { expected, ...rest } = failed
  const message = ownText(failed, texts, facts)
  if (message === null) return failed
  const isWanted = expected !== undefined && failed.kind === "invalid_args"
  return { ...rest, message, ...(isWanted && { expected }) }
}

function ownText(failed: Failure, texts: DialectTexts, facts: CallFacts): string | null {
  const { tool, afterMs } = facts
  switch (failed.kind) {
    case "rejected":
      return facts.isAllowed ? null : fillText(texts.not_allowed, { tool })
    case "user_denied": {
      const text = fillText(texts.user_denied, { tool })
      return text === null ? null : `${text}${deniedBecause(failed.message)}`
    }
    case "timeout":
      return timeoutText(texts, { tool, afterMs })
    case "not_found":
      return aboutAnArgument(failed, texts.not_found, facts)
    case "tool_not_found":
      return fillText(texts.tool_not_found, { tool })
    case "invalid_args":
      return aboutMissing(failed, texts.missing_argument, facts)
    default:
      return null
  }
}

export function timeoutText(
  texts: DialectTexts,
  { tool, afterMs }: Pick<CallFacts, "tool" | "afterMs">,
): string | null {
  return fillText(texts.timeout, { tool, after_ms: afterMs })
}

/** A text on an argument is not for what another argument names. */
function aboutAnArgument(
  { field }: Failure,
  text: string | undefined,
  { tool, input }: CallFacts,
): string | null {
  const given = readInput(input)
  if (text === undefined || (field !== undefined && !text.includes(`{${field}}`))) return null
  return fillText(text, { ...given, tool })
}

function aboutMissing(
  { field }: Failure,
  text: string | undefined,
  { tool, inputSchema, input }: CallFacts,
): string | null {
  if (field === undefined || !inputSchema.required?.includes(field)) return null
  if (Object.hasOwn(readInput(input), field)) return null
  return fillText(text, { tool, field, type: inputSchema.properties?.[field]?.type })
}

/** Arguments come as an object or as its JSON text. */
export function readInput(input: unknown): Readonly<Record<string, unknown>> {
  return isObject(input) ? input : (parseObject(String(input)) ?? {})
}

/** The text with its places filled in; null without a text, or where one of them stays empty. */
export function fillText(
  text: string | undefined,
  values: Readonly<Record<string, unknown>>,
): string | null {
  if (text === undefined) return null
  let isWhole = true
  const filled = text.replaceAll(/\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (typeof value === "string" || typeof value === "number") return String(value)
    isWhole = false
    return ""
  })
  return isWhole ? filled : null
}
