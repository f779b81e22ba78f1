import type { Command, ResolvedCommandContext } from "just-bash"
import { createId } from "../../../../../kit/index.ts"
import { printed, refused } from "./answer.ts"

interface TemporaryRequest {
  readonly directory: boolean
  readonly dryRun: boolean
  readonly template: string
}

export const mktemp: Command = {
  name: "mktemp",
  trusted: false,
  async execute(parameters, context) {
    const request = parseArguments(parameters, context)
    if (typeof request === "string") return refused(`mktemp: ${request}`)
    const marks = /X{3,}(?=[^X/]*$)/.exec(request.template)
    if (marks === null) return refused(`mktemp: too few X's in template '${request.template}'`)
    const path = request.template.replace(marks[0], randomLetters(marks[0].length))
    if (!request.dryRun) {
      const absolute = context.fs.resolvePath(context.cwd, path)
      try {
        await make(absolute, request.directory, context)
      } catch {
        return refused(`mktemp: failed to create '${path}': No such file or directory`)
      }
    }
    return printed(`${path}\n`)
  },
}

function parseArguments(
  parameters: readonly string[],
  context: ResolvedCommandContext,
): TemporaryRequest | string {
  const temporary = context.env.get("TMPDIR") || "/tmp"
  let flags = ""
  let parent: string | null = null
  let template: string | null = null
  const left = [...parameters]
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (next === "-p") parent = left.shift() ?? temporary
    else if (next.startsWith("--tmpdir")) parent = next.slice("--tmpdir=".length) || temporary
    else if (next === "--directory") flags += "d"
    else if (next === "--dry-run") flags += "u"
    else if (/^-[dutq]+$/.test(next)) flags += next.slice(1)
    else if (next.startsWith("-")) return `unrecognized option '${next}'`
    else template = next
  }
  if (template === null || flags.includes("t")) parent ??= temporary
  const name = template ?? "tmp.XXXXXXXXXX"
  return {
    directory: flags.includes("d"),
    dryRun: flags.includes("u"),
    template: parent === null ? name : `${parent}/${name}`,
  }
}

async function make(
  path: string,
  directory: boolean,
  { fs }: ResolvedCommandContext,
): Promise<void> {
  if (directory) await fs.mkdir(path)
  else await fs.writeFile(path, "")
  await fs.chmod(path, directory ? 0o700 : 0o600)
}

function randomLetters(count: number): string {
  let letters = ""
  while (letters.length < count) letters += createId("").slice(1)
  return letters.slice(0, count)
}
