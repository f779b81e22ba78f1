import { limits } from "../contract/index.ts"
import { groupDigits, markUnseen } from "../kit/index.ts"
import type { ApprovalRequest } from "./approval.ts"
import { counted, describeValue, quoted, Unshowable } from "./describe-value.ts"

const { characters: mostCharacters, messageCharacters } = limits.question

/** What a person decides about. */
export type Asked = Pick<ApprovalRequest, "tool" | "title" | "input" | "sandbox" | "cwd" | "prompt">

export type DescribedQuestion =
  | { readonly kind: "shown"; readonly text: string }
  /** Why nobody can be shown it, as the end of a sentence. */
  | { readonly kind: "refused"; readonly why: string }

/** The whole question as a text to be shown as it is: nothing is cut, and nothing in it is unseen. */
export function describeQuestion(asked: Asked): DescribedQuestion {
  if (sizeOf(asked.input) > mostCharacters) return { kind: "refused", why: tooLarge }
  try {
    const text = textOf(asked, describeValue(asked.input), end(asked))
    if (text.length > mostCharacters) return { kind: "refused", why: tooLarge }
    return { kind: "shown", text }
  } catch (error) {
    if (!(error instanceof Unshowable)) throw error
    return { kind: "refused", why: `they hold a value that is not JSON (${error.message})` }
  }
}

const tooLarge = `they are more than ${groupDigits(mostCharacters)} characters`

/**
 * A question for a place that has no room for all of it: the same, with the parts of its texts, lists and objects that
 * fit, the sizes of all of them, and where the whole is.
 */
export function describeBriefly(asked: Asked, whereWhole: string): string {
  const foot = [whereWhole, end(asked)].join("\n")
  for (const parts of [20, 8, 3, 1]) {
    const text = textOf(asked, describeValue(asked.input, parts), foot)
    if (text.length <= messageCharacters) return text
  }
  return textOf(asked, describeValue(asked.input, 0), foot)
}

/** Every line of the arguments begins with a bar, so that no argument looks like a line about the call. */
function textOf(asked: Asked, lines: readonly string[], foot: string): string {
  const { tool, title, sandbox, cwd, prompt } = asked
  return [
    markUnseen(prompt),
    `Tool: ${markUnseen(tool)}, ${quoted(title)}`,
    `Sandbox: ${sandbox === null ? "none" : quoted(sandbox)}`,
    ...(cwd === undefined ? [] : [`Directory: ${quoted(cwd)}`]),
    `Arguments, in ${counted(lines.length, "line")} that begin with "|"; <U+...> stands for a character that can't be seen:`,
    ...lines.map((line) => `| ${line}`),
    foot,
  ].join("\n")
}

function end({ tool }: Asked): string {
  return `These were the arguments of ${markUnseen(tool)}.`
}

/** At the least, and not further than it matters. */
function sizeOf(value: unknown): number {
  let size = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && size <= mostCharacters) {
    const next = waiting.pop()
    size += 1
    if (typeof next === "string") size += next.length
    else if (typeof next === "object" && next !== null) {
      for (const [key, one] of Object.entries(next)) {
        size += key.length
        waiting.push(one)
      }
    }
  }
  return size
}
