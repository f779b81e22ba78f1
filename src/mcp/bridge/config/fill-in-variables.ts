import { ToolFailure } from "../../../contract/index.ts"

type Texts = Readonly<Record<string, string>>

/** Puts variables of the environment in the place of each `${NAME}`, so that no file has to hold a secret. */
export function fillInVariables(
  values: Texts,
  { what, environment }: { readonly what: string; readonly environment: NodeJS.ProcessEnv },
): Texts {
  const fill = (key: string, value: string) =>
    value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = environment[name]
      if (found !== undefined) return found
      throw new ToolFailure({
        kind: "unavailable",
        message: `Its ${what} ${key} needs the environment variable ${name}, which is not set.`,
        retryable: false,
      })
    })
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(key, value)]))
}
