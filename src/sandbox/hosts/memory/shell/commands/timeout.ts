import type { Command } from "just-bash"
import { quoteArguments } from "../../../../../kit/index.ts"
import type { Stopper } from "../create-stopper.ts"
import { refused } from "./answer.ts"

const units: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }
const flagsWithValue: readonly string[] = ["-k", "-s", "--kill-after", "--signal"]

/** The shell's own timeout can't end a loop that never waits. */
export function createTimeout(stopper: Stopper): Command {
  return {
    name: "timeout",
    trusted: false,
    async execute(parameters, context) {
      const { duration, command } = parseArguments(parameters)
      const [, amount, unit = ""] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(duration) ?? []
      if (amount === undefined) return refused(`timeout: invalid time interval '${duration}'`, 125)
      if (command.length === 0) return refused("timeout: missing operand", 125)
      const seconds = Number(amount) * (units[unit] ?? 1)
      // No time at all means no limit.
      const answer = await stopper.limit(seconds === 0 ? Infinity : seconds * 1000, async () =>
        context.execWithInheritedStdin?.(quoteArguments(command), { cwd: context.cwd }),
      )
      if (answer === undefined) return refused("timeout: not available", 126)
      if (!("late" in answer)) return answer
      return { stdout: answer.stdout, stderr: answer.stderr, exitCode: 124 }
    },
  }
}

function parseArguments(parameters: readonly string[]): { duration: string; command: string[] } {
  const left = [...parameters]
  while (left[0]?.startsWith("-")) {
    const flag = left.shift() ?? ""
    if (flagsWithValue.includes(flag)) left.shift()
    if (flag === "--") break
  }
  const [duration = "", ...command] = left
  return { duration, command }
}
