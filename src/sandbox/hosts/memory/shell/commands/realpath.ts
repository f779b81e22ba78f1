import type { Command, ResolvedCommandContext } from "just-bash"
import { refused } from "./answer.ts"

export const realpath: Command = {
  name: "realpath",
  trusted: false,
  async execute(parameters, context) {
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
  },
}

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
