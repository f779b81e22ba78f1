import type { ServerSpec } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import { Secrets } from "../../../kit/index.ts"

type Texts = Readonly<Record<string, string>>

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Replaces each `${NAME}` with that environment variable, so that no file has to hold a secret. */
export function fillInVariables(
  values: Texts,
  { what, environment }: { readonly what: string; readonly environment: NodeJS.ProcessEnv },
): Texts {
  const fill = (key: string, value: string) =>
    value.replaceAll(variable, (_, name: string) => {
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

/** Names of command line options whose values are secrets. */
const secretName = /key|token|secret|pass|auth|cred|login|cookie/i

/** The values of a server's configuration that no message may quote; tokens are added as they come. */
export function serverSecrets(server: ServerSpec, environment: NodeJS.ProcessEnv): Secrets {
  const secrets = new Secrets()
  const addFilled = (name: string, value: string) => {
    secrets.add(
      name,
      value.replaceAll(variable, (_, one: string) => environment[one] ?? ""),
    )
    for (const [, one = ""] of value.matchAll(variable)) secrets.add(one, environment[one] ?? "")
  }
  if (server.kind !== "http") {
    for (const [name, value] of Object.entries(server.env)) addFilled(name, value)
    for (const value of secretArguments(server.args)) secrets.add("argument", value)
    return secrets
  }
  for (const [name, value] of Object.entries(server.headers)) addFilled(name, value)
  const { client_secret } = server.access.kind === "headers" ? {} : server.access.client
  if (client_secret !== undefined) addFilled("client_secret", client_secret)
  return secrets.add("url", server.url.href)
}

/** The values of `--token VALUE` and `--token=VALUE`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name = "", value] = /^--?([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    return secretName.test(name) ? [value ?? args[index + 1] ?? ""] : []
  })
}
