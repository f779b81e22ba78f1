import { ToolFailure } from "../contract/index.ts"
import { text } from "./schemas.ts"

/** Which of the session's sandboxes a call is for. Every tool that uses one has this argument. */
export const sandboxArgument = sandboxName(
  'The sandbox to use, such as "builder". Without it, the default one.',
)

/** An argument that names a sandbox, for what the description says. */
export function sandboxName(description: string) {
  return { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,62}$", description } as const
}

/** For a tool's `sandbox`: the one that its input names. */
export function namedSandbox(input: { readonly sandbox?: string }): string | undefined {
  return input.sandbox
}

/** For a tool's `paths`: the file that it reads, where its input names one. */
export function readPath({ path }: { readonly path?: string }) {
  return path === undefined ? [] : [{ path, mode: "read" as const }]
}

/** For every tool that is told what its bytes are. */
export function mimeTypeArgument(description: string) {
  return text(description, {
    minLength: 3,
    maxLength: 200,
    // Bounded, so that a megabyte is refused at once.
    pattern: "^[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}( {0,9};.{0,200})?$",
  })
}

/** For every tool that gives the person a file. */
export function filenameArgument(example: string) {
  return text(
    `The name that the person sees, without directories, such as ${JSON.stringify(example)}.`,
  )
}

/** The failure of a call with an argument that can't be used, though its schema allows it. */
export function invalidArgument(field: string, message: string, expected?: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, field, expected })
}
