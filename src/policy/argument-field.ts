import type { ConfigPath } from "../config/index.ts"
import {
  type FieldStep,
  fieldSteps,
  isInside,
  isObject,
  noPaths,
  noSandbox,
  resolvePath,
  sandboxHome,
} from "../contract/index.ts"
import { canonicalJson } from "../kit/index.ts"
import type { JudgedTool, PathStart } from "./verdict.ts"

/** What rules compare: each value of a field, in each of its forms. None where the field is missing. */
export type ArgumentField = (call: JudgedArguments) => readonly (readonly string[])[]

export interface JudgedArguments {
  readonly tool: JudgedTool
  readonly input: unknown
  readonly start: PathStart
  readonly sandbox?: string | undefined
}

/** In a rule this is every path of a call: of all its arguments that are paths, and of the files in a patch. */
export const everyPath = "path"

/** `command`, `options.cwd`, or `edits[].path` for the field of every entry. */
export function compileField(text: string, path: ConfigPath): ArgumentField {
  const steps =
    fieldSteps(text) ??
    path.fail('is not a field of the arguments; write "command", "options.cwd" or "edits[].path".')
  return ({ tool, input, start, sandbox }) => {
    const values = valuesAt(steps, input)
    if (values.length === 0 && text === sandboxArgument && sandbox && takesSandbox(tool)) {
      return [[sandbox]]
    }
    const { pathArguments = [] } = tool
    if (text === everyPath && takesPaths(tool)) {
      const fields = pathArguments.flatMap((field) => valuesAt(fieldSteps(field) ?? [], input))
      const used = tool.paths?.(input as never).map(({ path }) => path) ?? []
      return allForms([...values, ...fields, ...used], start)
    }
    if (!pathArguments.includes(text)) return values.map((value) => [textOf(value)])
    return allForms(values.length === 0 && text === startArgument ? ["."] : values, start)
  }
}

/** Where a program starts. Without it, it starts where paths do, so a rule that names it judges that place. */
const startArgument = "cwd"

/** Without it, a call is for the sandbox that it is bound to, so a rule that names it judges that one. */
const sandboxArgument = "sandbox"

function takesSandbox({ inputSchema, sandbox }: JudgedTool): boolean {
  return sandbox !== noSandbox && inputSchema?.properties?.[sandboxArgument] !== undefined
}

/** A list of paths is each of them. */
function allForms(values: readonly unknown[], start: PathStart): readonly (readonly string[])[] {
  return values.flat(Number.POSITIVE_INFINITY).map((value) => formsOf(value, start))
}

/** Whether a tool says which of its arguments are paths, or which paths it uses. */
export function takesPaths({ pathArguments = [], paths }: JudgedTool): boolean {
  return pathArguments.length > 0 || (paths !== undefined && paths !== noPaths)
}

function valuesAt(steps: readonly FieldStep[], input: unknown): readonly unknown[] {
  let values: readonly unknown[] = [input]
  for (const step of steps) {
    values = values.flatMap(
      step === "every entry" ? everyEntry : (value) => inside(value, step.key),
    )
  }
  return values.filter((value) => value !== undefined)
}

function inside(value: unknown, key: string): readonly unknown[] {
  // Own keys only: every object inherits a "constructor".
  return isObject(value) && Object.hasOwn(value, key) ? [value[key]] : []
}

function everyEntry(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function formsOf(value: unknown, start: PathStart): readonly string[] {
  return typeof value === "string" ? pathForms(value, start) : [textOf(value)]
}

/** JSON with sorted keys, so that the order in which a model writes them changes nothing. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value)
}

/** For calls that are not bound to a sandbox. */
export const defaultStart: PathStart = { home: sandboxHome }

/**
 * The forms in which rules see a path, the same for every spelling of it: relative to the home when it is inside
 * ("docs/x", the home itself is "."), and absolute. Computed from the text alone: links are not followed.
 */
function pathForms(path: string, { home, cwd = home }: PathStart): readonly string[] {
  const base = resolvePath("/", home)
  const absolute = resolvePath(resolvePath(base, cwd), path)
  if (!isInside(base, absolute)) return [absolute]
  const below = absolute.slice(base.length).replace(/^\//, "")
  return [below === "" ? "." : below, absolute]
}
