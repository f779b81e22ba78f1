import type { Command, ExecResult, ResolvedCommandContext } from "just-bash"
import { quoteArguments } from "../../../../../kit/index.ts"
import type { Stopper } from "../create-stopper.ts"
import { command, original, printed, refused } from "./command.ts"

interface EnvRequest {
  readonly clear: boolean
  readonly unset: readonly string[]
  readonly set: readonly (readonly [name: string, value: string])[]
  readonly command: readonly string[]
}

/** The shell's own env lists variables that are not exported, and does not export those it sets. */
export const env = command("env", async (parameters, context) => {
  const request = parseEnv(parameters)
  return typeof request === "string" ? refused(`env: ${request}`, 125) : runEnv(request, context)
})

async function runEnv(request: EnvRequest, context: ResolvedCommandContext): Promise<ExecResult> {
  const variables = new Map(request.clear ? [] : Object.entries(context.exportedEnv ?? {}))
  for (const name of request.unset) variables.delete(name)
  for (const [name, value] of request.set) variables.set(name, value)
  if (request.command.length === 0) {
    return printed([...variables].map(([name, value]) => `${name}=${value}\n`).join(""))
  }
  const exports = [...variables]
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quoteArguments([value])}; `)
  const source = `${exports.join("")}exec ${quoteArguments(request.command)}`
  const { cwd, signal } = context
  const options = {
    cwd,
    replaceEnv: true,
    env: Object.fromEntries(variables),
    ...(signal && { signal }),
  }
  return (await context.execWithInheritedStdin?.(source, options)) ?? refused("env: not available")
}

function parseEnv(parameters: readonly string[]): EnvRequest | string {
  const unset: string[] = []
  const set: [string, string][] = []
  let clear = false
  const left = [...parameters]
  for (let parameter = left.shift(); parameter !== undefined; parameter = left.shift()) {
    const assignment = /^([^=]+)=(.*)$/s.exec(parameter)
    if (parameter === "-i" || parameter === "-" || parameter === "--ignore-environment")
      clear = true
    else if (parameter === "-u") unset.push(left.shift() ?? "")
    else if (parameter.startsWith("-")) return `unrecognized option '${parameter}'`
    else if (assignment) set.push([assignment[1] ?? "", assignment[2] ?? ""])
    else return { clear, unset, set, command: [parameter, ...left] }
  }
  return { clear, unset, set, command: [] }
}

const units: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }
const flagsWithValue: readonly string[] = ["-k", "-s", "--kill-after", "--signal"]

/** The shell's own timeout can't end a loop that never waits. */
export function createTimeout(stopper: Stopper): Command {
  return command("timeout", async (parameters, context) => {
    const { duration, words } = parseTimeout(parameters)
    const [, amount, unit = ""] = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(duration) ?? []
    if (amount === undefined) return refused(`timeout: invalid time interval '${duration}'`, 125)
    if (words.length === 0) return refused("timeout: missing operand", 125)
    const seconds = Number(amount) * (units[unit] ?? 1)
    // No time at all means no limit.
    const answer = await stopper.limit(seconds === 0 ? Infinity : seconds * 1000, async () =>
      context.execWithInheritedStdin?.(quoteArguments(words), { cwd: context.cwd }),
    )
    if (answer === undefined) return refused("timeout: not available", 126)
    if (!("late" in answer)) return answer
    return { stdout: answer.stdout, stderr: answer.stderr, exitCode: 124 }
  })
}

function parseTimeout(parameters: readonly string[]): { duration: string; words: string[] } {
  const left = [...parameters]
  while (left[0]?.startsWith("-")) {
    const flag = left.shift() ?? ""
    if (flagsWithValue.includes(flag)) left.shift()
    if (flag === "--") break
  }
  const [duration = "", ...words] = left
  return { duration, words }
}

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
export const rg = command("rg", async (parameters, context) => {
  const end = parameters.indexOf("--")
  const flags = (end < 0 ? parameters : parameters.slice(0, end)).filter(
    (parameter, at) => !meaningless.test(parameter) && !isColor(parameters, at),
  )
  const names = end < 0 ? [] : parameters.slice(end + 1)
  const own = caseFlags.some((flag) => flags.includes(flag)) ? [] : ["--case-sensitive"]
  return original(context, [...own, ...flags, ...names])
})

function isColor(parameters: readonly string[], at: number): boolean {
  return parameters[at] === "--color" || parameters[at - 1] === "--color"
}

/** The shell's own xargs knows `-n 1` but not `-n1`, and `-I {}` but not `-I{}`. */
export const xargs = command("xargs", async (parameters, context) => {
  const start = parameters.findIndex((parameter, at) => isCommandStart(parameters, parameter, at))
  const end = start < 0 ? parameters.length : start
  const spread = parameters
    .slice(0, end)
    .flatMap((parameter) => /^(-[IndPL])(.+)$/s.exec(parameter)?.slice(1) ?? [parameter])
  return original(context, [...spread, ...parameters.slice(end)])
})

function isCommandStart(parameters: readonly string[], parameter: string, at: number): boolean {
  return !parameter.startsWith("-") && !/^-[IndPL]$/.test(parameters[at - 1] ?? "")
}
