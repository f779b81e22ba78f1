import { parseArgs } from "node:util"
import type { ResolvedCommandContext } from "just-bash"
import { createId, errorText } from "../../../../../kit/index.ts"
import { command, printed, refused } from "./command.ts"

const temporaryOptions = {
  directory: { type: "boolean", short: "d" },
  "dry-run": { type: "boolean", short: "u" },
  quiet: { type: "boolean", short: "q" },
  t: { type: "boolean", short: "t" },
  tmpdir: { type: "string", short: "p" },
} as const

export const mktemp = command("mktemp", async (parameters, context) => {
  const temporary = context.env.get("TMPDIR") || "/tmp"
  // The only option whose value may be left out.
  const args = parameters.map((one) => (one === "--tmpdir" ? `--tmpdir=${temporary}` : one))
  const request = parse(() =>
    parseArgs({ args, options: temporaryOptions, allowPositionals: true }),
  )
  if (typeof request === "string") return refused(`mktemp: ${request}`)
  const { values, positionals } = request
  const template = positionals.at(-1)
  const parent = values.tmpdir ?? (template === undefined || values.t ? temporary : null)
  const name = template ?? "tmp.XXXXXXXXXX"
  const pattern = parent === null ? name : `${parent}/${name}`
  const marks = /X{3,}(?=[^X/]*$)/.exec(pattern)
  if (marks === null) return refused(`mktemp: too few X's in template '${pattern}'`)
  const path = pattern.replace(marks[0], randomLetters(marks[0].length))
  try {
    if (!values["dry-run"]) await make(path, values.directory ?? false, context)
    return printed(`${path}\n`)
  } catch {
    return refused(`mktemp: failed to create '${path}': No such file or directory`)
  }
})

/** The parsed arguments, or what is wrong with them. */
function parse<Parsed>(read: () => Parsed): Parsed | string {
  try {
    return read()
  } catch (error) {
    return errorText(error)
  }
}

async function make(
  path: string,
  directory: boolean,
  { fs, cwd }: ResolvedCommandContext,
): Promise<void> {
  const absolute = fs.resolvePath(cwd, path)
  if (directory) await fs.mkdir(absolute)
  else await fs.writeFile(absolute, "")
  await fs.chmod(absolute, directory ? 0o700 : 0o600)
}

function randomLetters(count: number): string {
  let letters = ""
  while (letters.length < count) letters += createId("").slice(1)
  return letters.slice(0, count)
}

export const realpath = command("realpath", async (parameters, context) => {
  const flags = parameters.filter((parameter) => /^-[emqs]+$/.test(parameter)).join("")
  const paths = parameters.filter((parameter) => !/^-([emqs]+|-)$/.test(parameter))
  if (paths.length === 0) return refused("realpath: missing operand")
  let stdout = ""
  let stderr = ""
  for (const path of paths) {
    const real = await resolve(context.fs.resolvePath(context.cwd, path), flags, context)
    if (real === null) stderr += `realpath: ${path}: No such file or directory\n`
    else stdout += `${real}\n`
  }
  return { stdout, stderr: flags.includes("q") ? "" : stderr, exitCode: stderr === "" ? 0 : 1 }
})

/** As GNU does it: without a flag, only the last part may be missing. */
async function resolve(
  path: string,
  flags: string,
  { fs }: ResolvedCommandContext,
): Promise<string | null> {
  if (flags.includes("s")) return path
  const real = (at: string) => fs.realpath(at).catch(() => null)
  const whole = await real(path)
  if (whole !== null || flags.includes("e")) return whole
  const slash = path.lastIndexOf("/")
  const parent = await real(path.slice(0, slash) || "/")
  if (parent !== null) return fs.resolvePath(parent, path.slice(slash + 1))
  return flags.includes("m") ? path : null
}
