import { sandboxArgument } from "../sandbox-argument.ts"

/** An argument that has to name a sandbox, for what the description says. */
export function sandboxName<const Description extends string>(description: Description) {
  return { ...sandboxArgument, description } as const
}
