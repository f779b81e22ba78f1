import { fillInVariables, type ServerSpec, variablePattern } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import { Secrets } from "../../../kit/index.ts"

type Texts = Readonly<Record<string, string>>

/** The same texts with the values of environment variables. */
export function fillInTexts(
  values: Texts,
  { what, environment }: { readonly what: string; readonly environment: NodeJS.ProcessEnv },
): Texts {
  const missing = (key: string) => (name: string) =>
    new ToolFailure({
      kind: "unavailable",
      message: `Its ${what} ${key} needs the environment variable ${name}, which is not set.`,
      retryable: false,
    })
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      fillInVariables(value, environment, missing(key)),
    ]),
  )
}

/** Names of command line options whose values are secrets. */
const secretName = /key|token|secret|pass|auth|cred|login|cookie/i

/** The values of a server's configuration that no message may quote; tokens are added as they come. */
export function serverSecrets(server: ServerSpec, environment: NodeJS.ProcessEnv): Secrets {
  const secrets = new Secrets()
  const addFilled = (name: string, value: string) => {
    secrets.add(
      name,
      value.replaceAll(variablePattern, (_, one: string) => environment[one] ?? ""),
    )
    for (const [, one = ""] of value.matchAll(variablePattern))
      secrets.add(one, environment[one] ?? "")
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
