import { type CallLimits, ToolFailure, text } from "../contract/index.ts"

/** Which of the session's sandboxes a call is for. Every tool that uses one has this argument. */
export const sandboxArgument = sandboxName('Another sandbox, such as "builder".')

/** An argument that names a sandbox. Which names there can be, the pool knows and says. */
export function sandboxName(description: string) {
  return { type: "string", minLength: 1, description } as const
}

/** For a tool's `sandbox`: the one that its input names. */
export function namedSandbox(input: { readonly sandbox?: string }): string | undefined {
  return input.sandbox
}

/** For a tool's `paths`: the file that it reads, where its input names one. */
export function readPath({ path }: { readonly path?: string }) {
  return path === undefined ? [] : [{ path, mode: "read" as const }]
}

/** For every tool that takes a type for its bytes. */
export function mimeTypeArgument(description: string) {
  return text(description, {
    maxLength: 200,
    pattern: "^[\\w.+-]+/[\\w.+-]+( *;.*)?$",
  })
}

/** For every tool that gives the person a file. */
export function filenameArgument(example: string) {
  return text(`The name for the person, such as ${JSON.stringify(example)}.`)
}

/** How long an argument can have a tool wait: less than its deadline, by the time that an answer takes. */
export function waitRange({ timeoutMs }: CallLimits, most: number, byDefault: number = most) {
  const maximum = Math.min(most, Math.floor((timeoutMs * 5) / 6))
  return { maximum, default: Math.min(byDefault, maximum) }
}

/** The failure of a call with an argument that can't be used, though its schema allows it. */
export function invalidArgument(field: string, message: string, expected?: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field, expected })
}
