import {
  type ConfigPath,
  configRoot,
  type PolicyConfig,
  quote,
  type ToolLists,
} from "../config/index.ts"
import { mayHaveField, type Tool } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { everyPath, takesPaths } from "./argument-field.ts"
import { compileGroups, type Groups } from "./groups.ts"
import { compileNamePattern } from "./name-pattern.ts"

/** What the names in a policy are held against. */
interface KnownTools {
  /** Every tool that Toolkeep has, also those that lack a part on this machine. */
  readonly tools: readonly Tool[]
  /** Those of a program, which may bring more of them; absent where no program brings any. */
  readonly own?: readonly Tool[] | undefined
  /** The names of the tools that an agent's session has beside them. */
  readonly agentTools: readonly string[]
  /** What other vocabularies call a tool, and what it is called here. */
  readonly otherWords?: ReadonlyMap<string, string>
}

/** A name in a policy that no tool has: a mistake, or one that may still come. */
interface Doubt {
  readonly path: ConfigPath
  readonly problem: string
  readonly isMistake: boolean
}

/**
 * Throws a DefinitionError for the first name of a tool or an argument that means nothing, with the one that was
 * most likely meant: a rule for a tool that is not there protects nothing. Returns a warning for each that may
 * still come to mean something.
 */
export function checkNames(config: PolicyConfig, known: KnownTools): readonly string[] {
  const check = new NameCheck(config, known)
  const doubts = [
    ...namesIn(config).flatMap((named) => check.doubtName(named) ?? []),
    ...rulesIn(config).flatMap((ruled) => check.doubtFields(ruled)),
  ]
  const mistake = doubts.find(({ isMistake }) => isMistake)
  if (mistake) return mistake.path.fail(mistake.problem)
  return doubts.map(({ path, problem }) => path.describe(problem))
}

/** The plain names in a policy that no known tool has. */
export function unknownNames(config: PolicyConfig, tools: readonly Tool[]): readonly string[] {
  const known = new Set(tools.map(({ name }) => name))
  return namesIn(config)
    .map(({ text }) => text)
    .filter((text) => !known.has(text) && !/^group:|^mcp:|\*/.test(text))
}

interface NamedTool {
  readonly text: string
  readonly path: ConfigPath
}

function namesIn(config: PolicyConfig): NamedTool[] {
  const { tools = {}, agents = {}, providers = {}, origin } = config
  const root = configRoot(origin)
  const inAll = (all: Readonly<Record<string, ToolLists>>, path: ConfigPath): NamedTool[] =>
    Object.entries(all).flatMap(([name, one]) => inLists(one, path.at(name), ["allow", "deny"]))
  const { profiles = {}, groups = {}, hooks = {} } = tools
  return [
    ...inAll(profiles, root.at("tools").at("profiles")),
    ...inLists(groups, root.at("tools").at("groups"), Object.keys(groups)),
    ...rulesIn(config).map(({ kind, text, path }) => ({ text, path: path.at(kind) })),
    ...inLists(hooks, root.at("tools").at("hooks"), ["confirm", "log", "silent"]),
    ...inAll(agents, root.at("agents")),
    ...inAll(providers, root.at("providers")),
    ...limitedTools(config),
  ]
}

/** Those that a limit of the agent or of a role names. */
function limitedTools({ agent = {}, origin }: PolicyConfig): NamedTool[] {
  const path = configRoot(origin).at("agent")
  const roles = Object.entries(agent.roles ?? {})
  return [
    { limits: agent.limits, path },
    ...roles.map(([name, { limits }]) => ({ limits, path: path.at("roles").at(name) })),
  ].flatMap(({ limits, path: owner }) =>
    Object.keys(limits?.calls_of ?? {}).map((text) => {
      return { text, path: owner.at("limits").at("calls_of").at(text) }
    }),
  )
}

/** The names in the lists of an object. */
function inLists<Key extends string>(
  lists: { readonly [One in Key]?: readonly string[] },
  path: ConfigPath,
  keys: readonly Key[],
): NamedTool[] {
  return keys.flatMap((key) =>
    (lists[key] ?? []).map((text, index) => ({ text, path: path.at(key).at(index) })),
  )
}

interface RuledTool extends NamedTool {
  readonly kind: string
  readonly fields: readonly string[]
}

function rulesIn({ tools, origin }: PolicyConfig): RuledTool[] {
  const path = configRoot(origin).at("tools").at("rules")
  return (tools?.rules ?? []).map((rule, index) => {
    const kind = (["deny", "ask", "allow"] as const).find((one) => rule[one]) ?? "deny"
    return { kind, text: rule[kind] ?? "", fields: Object.keys(rule.when), path: path.at(index) }
  })
}

const bridgedPrefix = "mcp:"

class NameCheck {
  readonly #known: KnownTools
  readonly #all: readonly Tool[]
  readonly #groups: Groups
  readonly #servers: readonly string[]

  constructor({ tools, mcpServers = {}, origin }: PolicyConfig, known: KnownTools) {
    this.#known = known
    this.#all = [...known.tools, ...(known.own ?? [])]
    this.#groups = compileGroups(tools?.groups ?? {}, configRoot(origin).at("tools").at("groups"))
    this.#servers = Object.keys(mcpServers)
  }

  doubtName({ text, path }: NamedTool): Doubt | null {
    if (text.startsWith("group:") || this.#all.some(({ name }) => name === text)) return null
    if (this.#known.agentTools.includes(text)) return null
    if (text.startsWith(bridgedPrefix)) return this.#doubtBridged(text, path)
    if (text.includes("*")) return this.#doubtPattern(text, path)
    const names = this.#known.tools.map(({ name }) => name)
    const other = this.#known.otherWords?.get(text)
    const meant = other ?? nearest(text, names)
    const family = /^[^.]*\./.exec(text)?.[0]
    const relatives = family ? names.filter((name) => name.startsWith(family)) : []
    const isMistake = meant !== null || relatives.length > 0 || !this.#known.own
    if (!isMistake)
      return { path, problem: `is ${quote(text)}, which is not a tool yet.`, isMistake }
    const what = other === undefined ? "which is not a tool" : "a word of another vocabulary"
    return { path, problem: `is ${quote(text)}, ${what}; ${hintAt(meant, relatives)}`, isMistake }
  }

  /** A pattern that matches nothing. */
  #doubtPattern(text: string, path: ConfigPath): Doubt | null {
    if (this.#toolsMeant(text, path).length > 0) return null
    const families = this.#known.tools.map(({ name }) => `${name.slice(0, name.indexOf("."))}.*`)
    const close = nearest(text, new Set(families))
    const isMistake = !this.#mayMeanLater(text) || close?.toLowerCase() === text.toLowerCase()
    const problem = isMistake
      ? `is ${quote(text)}, which matches no tool; ${hintAt(close, [])}`
      : `is ${quote(text)}, which matches no tool that is known yet.`
    return { path, problem, isMistake }
  }

  /** A server's tools are known when it has started. */
  #doubtBridged(text: string, path: ConfigPath): Doubt | null {
    const [, server = "", tool = "*"] = text.split(":")
    if (!server.includes("*") && !this.#servers.includes(server)) {
      const close = nearest(server, this.#servers)
      const hint = close ? `; did you mean "${close}"?` : "."
      const problem = `names the MCP server ${quote(server)}, which is not under mcpServers${hint}`
      return { path, problem, isMistake: false }
    }
    if (tool.includes("*") || server.includes("*")) return null
    const problem = `names ${quote(text)}, which can't be checked before that MCP server has started.`
    return { path, problem, isMistake: false }
  }

  /** The fields of `when` that no tool has which the rule is about. */
  doubtFields({ kind, text, fields, path }: RuledTool): Doubt[] {
    const meant = this.#toolsMeant(text, path.at(kind))
    if (meant.length === 0) return []
    // Tools that come later may be meant as well, and nobody knows their arguments.
    const isWhole = text.includes("*") ? !this.#mayMeanLater(text) : !text.includes(":")
    const known = [...new Set(meant.flatMap(fieldsOf))]
    const unknown = fields.filter((field) => !meant.some((tool) => hasField(tool, field)))
    return unknown.map((field) => {
      const close = nearest(field, known)
      const hint = close
        ? `did you mean "${close}"?`
        : `there are ${known.slice(0, 20).join(", ") || "none"}.`
      const problem = `is not an argument of ${text}; ${hint}`
      return { path: path.at("when").at(field), problem, isMistake: isWhole || close !== null }
    })
  }

  /** Whether a pattern may match tools that come later: those of a program, or of bridged servers. */
  #mayMeanLater(pattern: string): boolean {
    const start = pattern.slice(0, pattern.indexOf("*"))
    return this.#known.own !== undefined || bridgedPrefix.startsWith(start)
  }

  #toolsMeant(text: string, path: ConfigPath): readonly Tool[] {
    const pattern = compileNamePattern(text, this.#groups, path)
    return this.#all.filter((tool) => pattern.matches(tool))
  }
}

function hintAt(meant: string | null, relatives: readonly string[]): string {
  if (meant !== null) return `did you mean "${meant}"?`
  return relatives.length > 0
    ? `there are ${relatives.join(", ")}.`
    : "toolkeep tools lists those there are."
}

function hasField(tool: Tool, field: string): boolean {
  return (field === everyPath && takesPaths(tool)) || mayHaveField(tool.inputSchema, field)
}

/** As a person writes them: of lists with objects, also the fields of those. */
function fieldsOf(tool: Tool): readonly string[] {
  const own = Object.entries(tool.inputSchema.properties ?? {}).flatMap(([name, schema]) => {
    const { items, properties } = schema
    const inner = Array.isArray(items) ? {} : Object(items).properties
    return [
      name,
      ...Object.keys(properties ?? {}).map((key) => `${name}.${key}`),
      ...Object.keys(inner ?? {}).map((key) => `${name}[].${key}`),
    ]
  })
  return takesPaths(tool) ? [...own, everyPath] : own
}
