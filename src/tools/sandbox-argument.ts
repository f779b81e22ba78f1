/** Which of the session's sandboxes a call is for. Every tool that uses one has this argument. */
export const sandboxArgument = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9_-]{0,62}$",
  description: 'The sandbox to use, such as "builder". Without it, the usual one.',
} as const

/** For a tool's `sandbox`: the one that its input names. */
export function namedSandbox(input: { readonly sandbox?: string }): string | undefined {
  return input.sandbox
}
