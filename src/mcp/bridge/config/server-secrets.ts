import type { ServerSpec } from "../../../config/index.ts"
import { Secrets } from "../../../kit/index.ts"

/** How arguments are called that hold secrets. */
const secretName = /key|token|secret|pass|auth|cred|login|cookie/i

/** Everything of a server's configuration that no message may hold; tokens are added as they come. */
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

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** `--token VALUE` and `--token=VALUE`: the values of those whose name says it. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name = "", value] = /^--?([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (!secretName.test(name)) return []
    return [value ?? args[index + 1] ?? ""]
  })
}
