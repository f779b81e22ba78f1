import type { Command, ExecResult, ResolvedCommandContext } from "just-bash"
import { quoteArguments } from "../../../../../kit/index.ts"
import { textMark } from "../syntax/mark-text.ts"
import { printed, refused } from "./answer.ts"

interface EnvRequest {
  readonly clear: boolean
  readonly unset: readonly string[]
  readonly set: readonly (readonly [name: string, value: string])[]
  readonly command: readonly string[]
}

/** The shell's own env lists variables that are not exported, and does not export those it sets. */
export const env: Command = {
  name: "env",
  trusted: false,
  async execute(parameters, context) {
    const request = parseArguments(parameters)
    return typeof request === "string" ? refused(`env: ${request}`, 125) : run(request, context)
  },
}

async function run(request: EnvRequest, context: ResolvedCommandContext): Promise<ExecResult> {
  const exported = Object.entries(context.exportedEnv ?? {})
  const variables = new Map(request.clear ? [] : exported.filter(([name]) => name !== textMark))
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

function parseArguments(parameters: readonly string[]): EnvRequest | string {
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
