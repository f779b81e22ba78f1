import type { Command } from "just-bash"
import { refused } from "./answer.ts"

/** The shell's own xargs knows `-n 1` but not `-n1`, and `-I {}` but not `-I{}`. */
export const xargs: Command = {
  name: "xargs",
  trusted: false,
  async execute(parameters, context) {
    const start = parameters.findIndex((parameter, at) => isCommandStart(parameters, parameter, at))
    const end = start < 0 ? parameters.length : start
    const spread = parameters
      .slice(0, end)
      .flatMap((parameter) => /^(-[IndPL])(.+)$/s.exec(parameter)?.slice(1) ?? [parameter])
    const own = await context.origCommand?.([...spread, ...parameters.slice(end)])
    return own ?? refused("xargs: not available")
  },
}

function isCommandStart(parameters: readonly string[], parameter: string, at: number): boolean {
  return !parameter.startsWith("-") && !/^-[IndPL]$/.test(parameters[at - 1] ?? "")
}
