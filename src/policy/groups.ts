import { type ConfigPath, quote } from "../config/index.ts"
import { nearest } from "../kit/index.ts"
import { compileStars } from "./name-pattern.ts"
import type { JudgedTool } from "./verdict.ts"

/** The groups that are always there. A tool also belongs to each group that it declares itself. */
const builtInGroups: Readonly<Record<string, readonly string[]>> = {
  fs: ["file.*"],
  runtime: ["shell.*", "process.*", "code.*"],
  web: ["web.*", "browser.*"],
  memory: ["memory.*"],
}

export interface Groups {
  /** Says of a tool whether it is in the group; fails at `path` for a group that nobody defined. */
  membership(name: string, path: ConfigPath): (tool: JudgedTool) => boolean
}

/** A group of a built-in's name adds to it: a denied group only ever grows. */
export function compileGroups(
  config: Readonly<Record<string, readonly string[]>>,
  path: ConfigPath,
): Groups {
  const patternsOf = new Map(
    Object.entries(builtInGroups).map(([name, texts]) => [
      name,
      texts.map((text) => compileStars(text, path)),
    ]),
  )
  for (const [name, texts] of Object.entries(config)) {
    const added = texts.map((text, index) => compileMember(text, path.at(name).at(index)))
    patternsOf.set(name, [...(patternsOf.get(name) ?? []), ...added])
  }
  return {
    membership(name, where) {
      const patterns = patternsOf.get(name) ?? failUnknown(name, patternsOf.keys(), where)
      return (tool) =>
        tool.groups.includes(name) || patterns.some((pattern) => pattern.matches(tool))
    },
  }
}

function compileMember(text: string, path: ConfigPath) {
  if (text.startsWith("group:")) path.fail("is a group; a group lists tools and patterns.")
  return compileStars(text, path)
}

/** Also for a group that only tools declare: a misspelt one must not deny nothing in silence. */
function failUnknown(name: string, known: Iterable<string>, path: ConfigPath): never {
  const names = [...known]
  const close = nearest(name, names)
  return path.fail(
    close
      ? `names the group ${quote(name)}, which is not known; did you mean "group:${close}"?`
      : `names the group ${quote(name)}, which is not known; define it under tools.groups, ` +
          `beside ${names.join(", ")}.`,
  )
}
