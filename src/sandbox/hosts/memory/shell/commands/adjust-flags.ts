import type { Command } from "just-bash"
import { refused } from "./answer.ts"

const caseFlags: readonly string[] = [
  "-i",
  "-s",
  "-S",
  "--ignore-case",
  "--case-sensitive",
  "--smart-case",
]

/** Flags about a terminal or a configuration that is not there. */
const meaningless = /^--(no-config|no-heading|no-messages|color=.*|colors=.*|no-line-buffered)$/

/** The shell's own rg ignores case for patterns without capitals, which ripgrep does only when asked. */
export const rg: Command = {
  name: "rg",
  trusted: false,
  async execute(parameters, context) {
    const end = parameters.indexOf("--")
    const flags = (end < 0 ? parameters : parameters.slice(0, end)).filter(
      (parameter, at) => !meaningless.test(parameter) && !isColor(parameters, at),
    )
    const names = end < 0 ? [] : parameters.slice(end + 1)
    const own = caseFlags.some((flag) => flags.includes(flag)) ? [] : ["--case-sensitive"]
    const answer = await context.origCommand?.([...own, ...flags, ...names])
    return answer ?? refused("rg: not available")
  },
}

function isColor(parameters: readonly string[], at: number): boolean {
  return parameters[at] === "--color" || parameters[at - 1] === "--color"
}

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
