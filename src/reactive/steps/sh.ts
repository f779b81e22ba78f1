import { quoteArguments } from "../../kit/index.ts"
import { computed } from "../graph/ref.ts"
import { resolve } from "../graph/resolve.ts"
import type { Input, Ref } from "../graph/types.ts"

/**
 * A command in which each value is one word, whatever is in it: sh`python3 -c ${code}`. Without one of them there is no command, and
 * the step that needs it is held.
 */
export function sh(
  parts: TemplateStringsArray,
  ...values: readonly Input<string | number>[]
): Ref<string | undefined> {
  return computed(() => {
    const words = values.map(resolve)
    if (words.some((word) => word === undefined || word === null)) return undefined
    return parts.reduce(
      (command, part, index) => `${command}${quoteArguments([String(words[index - 1])])}${part}`,
    )
  })
}
