import { DefinitionError } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { type ConfigPath, configRoot } from "./config-path.ts"
import type { McpServerConfig, PolicyConfig } from "./config-schema.ts"
import { configLimits } from "./limits.ts"

type Texts = Readonly<Record<string, string>>

/** An MCP server to bridge in. Variables such as ${NAME} are not yet replaced. */
export type ServerSpec = (StdioServer | SandboxedServer | HttpServer) & PathsOfServer

interface PathsOfServer {
  /** Arguments of its tools that are paths; none when absent. */
  readonly paths?: readonly string[] | undefined
}

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
  readonly access: ServerAccess
}

/** How Toolkeep authenticates to a server over HTTP. */
type ServerAccess =
  /** By the configured headers. */
  | { readonly kind: "headers" }
  /** A person logs in: always (`isCertain`), or when the server asks for it. */
  | { readonly kind: "login"; readonly isCertain: boolean; readonly client: OAuthClient }
  /** With Toolkeep's own client credentials. */
  | { readonly kind: "credentials"; readonly client: OAuthClient }

export type OAuthClient = Omit<NonNullable<McpServerConfig["oauth"]>, "grant">

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** The servers of a configuration. Throws a DefinitionError for the first mistake. */
export function readServers({ mcpServers = {}, origin }: PolicyConfig): readonly ServerSpec[] {
  const path = configRoot(origin).at("mcpServers")
  const entries = Object.entries(mcpServers)
  if (entries.length > configLimits.mcpServers) {
    path.fail(`has ${entries.length} servers; there can be ${configLimits.mcpServers}.`)
  }
  const base = /^(.*)[/\\]/.exec(origin?.file ?? "")?.[1] ?? "."
  return entries.map(([name, config]) => {
    const here = path.at(name)
    if (!namePattern.test(name) || name.length > configLimits.mcpServerNameCharacters) {
      here.fail(
        `is not a valid server name: use up to ${configLimits.mcpServerNameCharacters} letters, digits, "_" and "-".`,
      )
    }
    const server =
      config.url === undefined
        ? readProgram(name, config, { path: here, base })
        : readAddress(name, { ...config, url: config.url }, here)
    return config.paths === undefined ? server : { ...server, paths: config.paths }
  })
}

/** Without Node, whose path module does the same: configurations are also read where there is no Node. */
function fromDirectory(base: string, path: string): string {
  return /^(?:\/|[A-Za-z]:[/\\])/.test(path) ? path : `${base}/${path.replace(/^\.\//, "")}`
}

/** The server of this name; throws a DefinitionError that says which there are. */
export function findServer(specs: readonly ServerSpec[], name: string): ServerSpec {
  const found = specs.find((spec) => spec.name === name)
  if (found) return found
  const names = specs.map((spec) => spec.name)
  const close = nearest(name, names)
  const hint = close ? `did you mean "${close}"?` : `there are ${names.join(", ") || "none"}.`
  throw new DefinitionError(
    `There is no MCP server ${JSON.stringify(name)} in the configuration; ${hint}`,
  )
}

const forPrograms = ["args", "env", "cwd", "sandbox"] as const

function readProgram(
  name: string,
  config: McpServerConfig,
  { path, base }: { readonly path: ConfigPath; readonly base: string },
): StdioServer | SandboxedServer {
  const { command = "", args = [], env = {}, cwd, sandbox = false, type = "stdio" } = config
  for (const key of ["headers", "auth", "oauth"] as const) {
    if (config[key] !== undefined) path.at(key).fail("goes with url, not with command.")
  }
  if (type !== "stdio") path.at("type").fail(`is ${JSON.stringify(type)}, which goes with url.`)
  const program = { name, command, args, env }
  if (sandbox) return { kind: "sandboxed", ...program, cwd }
  return { kind: "stdio", ...program, cwd: cwd && fromDirectory(base, cwd) }
}

function readAddress(
  name: string,
  config: McpServerConfig & { readonly url: string },
  path: ConfigPath,
): HttpServer {
  for (const key of forPrograms) {
    if (config[key] !== undefined) path.at(key).fail("goes with command, not with url.")
  }
  if (config.type === "stdio") path.at("type").fail('is "stdio", which goes with command.')
  const url = URL.parse(config.url)
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    path.at("url").fail('must be an address such as "https://mcp.example.com/mcp".')
  }
  const address = url as URL
  if (address.username !== "" || address.password !== "") {
    path.at("url").fail("must not hold a name or a password; put an Authorization into headers.")
  }
  const access = readAccess(address, config, path)
  return { kind: "http", name, url: address, headers: config.headers ?? {}, access }
}

function readAccess(
  url: URL,
  { auth, oauth, headers = {} }: McpServerConfig,
  path: ConfigPath,
): ServerAccess {
  const isInHeaders = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  if (auth === undefined && oauth === undefined) {
    if (isInHeaders) return { kind: "headers" }
    return { kind: "login", isCertain: false, client: {} }
  }
  if (isInHeaders) path.at("headers").fail("has an Authorization, which goes without a login.")
  const { grant = "authorization_code", ...client } = oauth ?? {}
  if (client.client_secret !== undefined && client.client_id === undefined) {
    path.at("oauth").fail("has a client_secret and needs a client_id with it.")
  }
  if (client.issuer !== undefined && !URL.canParse(client.issuer)) {
    path.at("oauth").at("issuer").fail('must be an address such as "https://login.example.com".')
  }
  if (!isSafeForTokens(url))
    path.at("url").fail("must be https, because others on the network could read the tokens.")
  if (grant === "authorization_code") return { kind: "login", isCertain: true, client }
  if (client.client_secret === undefined) {
    path.at("oauth").fail("needs a client_id and a client_secret for client_credentials.")
  }
  return { kind: "credentials", client }
}

/** Tokens go over https, or do not leave this machine. */
export function isSafeForTokens({ protocol, hostname }: URL): boolean {
  const isHere = ["127.0.0.1", "[::1]", "localhost"].includes(hostname)
  if (protocol !== "http:") return protocol === "https:"
  return isHere || hostname.endsWith(".localhost")
}
