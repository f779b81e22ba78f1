import { dirname, resolve } from "node:path"
import { limits } from "../../contract/index.ts"
import {
  type McpServerConfig,
  type Place,
  type PolicyConfig,
  rootPlace,
} from "../../policy/index.ts"

type Texts = Readonly<Record<string, string>>

/** A server to bridge in, and how it is reached. Values still name their variables. */
export type ServerSpec = StdioServer | SandboxedServer | HttpServer

export interface StdioServer {
  readonly kind: "stdio"
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Texts
  readonly cwd: string | undefined
}

export interface SandboxedServer extends Omit<StdioServer, "kind"> {
  readonly kind: "sandboxed"
}

export interface HttpServer {
  readonly kind: "http"
  readonly name: string
  readonly url: URL
  readonly headers: Texts
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** The servers of a configuration. Throws a DefinitionError that names the place of a mistake. */
export function readServers({ mcpServers = {}, origin }: PolicyConfig): readonly ServerSpec[] {
  const place = rootPlace(origin).at("mcpServers")
  const entries = Object.entries(mcpServers)
  if (entries.length > limits.bridge.servers) {
    place.fail(`has ${entries.length} servers; there can be ${limits.bridge.servers}.`)
  }
  const base = dirname(origin?.file ?? ".")
  return entries.map(([name, config]) => {
    const here = place.at(name)
    if (!namePattern.test(name) || name.length > limits.bridge.nameCharacters) {
      here.fail(
        `is no name for a server: up to ${limits.bridge.nameCharacters} letters, digits, "_" and "-".`,
      )
    }
    return config.url === undefined
      ? readProgram(name, config, { place: here, base })
      : readAddress(name, { ...config, url: config.url }, here)
  })
}

const forPrograms = ["args", "env", "cwd", "sandbox"] as const

function readProgram(
  name: string,
  config: McpServerConfig,
  { place, base }: { readonly place: Place; readonly base: string },
): StdioServer | SandboxedServer {
  const { command = "", args = [], env = {}, cwd, sandbox = false, type = "stdio" } = config
  if (config.headers) place.at("headers").fail("goes with url, not with command.")
  if (type !== "stdio") place.at("type").fail(`is ${JSON.stringify(type)}, which goes with url.`)
  const program = { name, command, args, env }
  if (sandbox) return { kind: "sandboxed", ...program, cwd }
  return { kind: "stdio", ...program, cwd: cwd === undefined ? undefined : resolve(base, cwd) }
}

function readAddress(
  name: string,
  config: McpServerConfig & { readonly url: string },
  place: Place,
): HttpServer {
  for (const key of forPrograms) {
    if (config[key] !== undefined) place.at(key).fail("goes with command, not with url.")
  }
  if (config.type === "stdio") place.at("type").fail('is "stdio", which goes with command.')
  const url = URL.parse(config.url)
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    place.at("url").fail('must be an address such as "https://mcp.example.com/mcp".')
  }
  return { kind: "http", name, url: url as URL, headers: config.headers ?? {} }
}
