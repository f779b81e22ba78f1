import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Arguments } from "./command.ts"
import { defaultFile } from "./open-session.ts"

/** What only says where `toolkeep up` listens. */
const ofHttp = ["port", "listen", "public-url", "no-console", "opensandbox", "e2b"]

/** Variables that change what a server does, which a client that starts one does not pass on by itself. */
const variables = [
  ...["TOOLKEEP_HOME", "TOOLKEEP_IMAGE", "TOOLKEEP_KEEPER_IMAGE"],
  ...["DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"],
  ...["KUBECONFIG", "TOOLKEEP_NAMESPACE", "TOOLKEEP_RUNTIME_CLASS", "TOOLKEEP_STORAGE_CLASS"],
]

/**
 * The command line with which a client starts a server of its own that is like this one, in any directory: with the same
 * flags, the same configuration and the same variables.
 */
export function ownServer(given: Arguments): readonly [string, ...string[]] {
  const flags = given.flags.flatMap((name) => {
    const value = given.text(name)
    if (ofHttp.includes(name)) return []
    return value === undefined
      ? [`--${name}`]
      : [`--${name}`, isFile(name, value) ? resolve(value) : value]
  })
  const isConfigured = given.text("config") === undefined && existsSync(defaultFile)
  const config = isConfigured ? ["--config", resolve(defaultFile)] : []
  const set = variables.flatMap((name) => {
    const value = process.env[name]
    return value ? [`${name}=${value}`] : []
  })
  const program = [process.execPath, process.argv[1] ?? "toolkeep", "mcp", ...flags, ...config]
  return set.length === 0 ? (program as [string]) : ["env", ...set, ...program]
}

function isFile(flag: string, value: string): boolean {
  return flag === "config" || (flag === "dialect" && /\.ya?ml$/.test(value))
}
