/** `${NAME}` in a value of toolkeep.yaml. */
export const variablePattern = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Replaces each `${NAME}` with that environment variable, so that no file has to hold a secret. */
export function fillInVariables(
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
  missing: (name: string) => Error,
): string {
  return value.replaceAll(variablePattern, (_, name: string) => {
    const found = environment[name]
    if (found === undefined) throw missing(name)
    return found
  })
}
