import type { PolicyConfig, RuleConfig } from "../config/index.ts"
import { type ConfigPath, configRoot, quote } from "../config/index.ts"
import { mayHaveField, type Tool } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { everyPath, takesPaths } from "./argument-field.ts"
import { compileGroups } from "./groups.ts"
import { compileNamePattern } from "./name-pattern.ts"

/** What the names in a policy are held against. */
interface KnownTools {
  /** Every tool that Toolkeep has, also those that lack a part on this machine. */
  readonly tools: readonly Tool[]
  /** Those of a program, which may bring more of them; absent where no program brings any. */
  readonly own?: readonly Tool[] | undefined
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
  const doubts = [
    ...namesIn(config).flatMap(({ text, path }) => doubtName(text, path, config, known)),
    ...rulesIn(config).flatMap(({ rule, path }) => doubtFields(rule, path, config, known)),
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

function namesIn({ tools = {}, agents = {}, providers = {}, origin }: PolicyConfig): NamedTool[] {
  const root = configRoot(origin)
  const list = (texts: readonly string[] | undefined, path: ConfigPath): NamedTool[] =>
    (texts ?? []).map((text, index) => ({ text, path: path.at(index) }))
  const lists = (
    all: Readonly<Record<string, { allow?: readonly string[]; deny?: readonly string[] }>>,
    path: ConfigPath,
  ) =>
    Object.entries(all).flatMap(([name, { allow, deny }]) => [
      ...list(allow, path.at(name).at("allow")),
      ...list(deny, path.at(name).at("deny")),
    ])
  const toolsAt = root.at("tools")
  return [
    ...lists(tools.profiles ?? {}, toolsAt.at("profiles")),
    ...Object.entries(tools.groups ?? {}).flatMap(([name, texts]) =>
      list(texts, toolsAt.at("groups").at(name)),
    ),
    ...rulesIn({ tools, ...(origin && { origin }) }).map(({ rule, path }) => {
      const { kind, text } = targetOf(rule)
      return { text, path: path.at(kind) }
    }),
    ...(["confirm", "log", "silent"] as const).flatMap((action) =>
      list(tools.hooks?.[action], toolsAt.at("hooks").at(action)),
    ),
    ...lists(agents, root.at("agents")),
    ...lists(providers, root.at("providers")),
  ]
}

function rulesIn({ tools, origin }: PolicyConfig) {
  const path = configRoot(origin).at("tools").at("rules")
  return (tools?.rules ?? []).map((rule, index) => ({ rule, path: path.at(index) }))
}

function targetOf(rule: RuleConfig): { readonly kind: string; readonly text: string } {
  const kind = (["deny", "ask", "allow"] as const).find((one) => rule[one] !== undefined) ?? "deny"
  return { kind, text: rule[kind] ?? "" }
}

function doubtName(
  text: string,
  path: ConfigPath,
  config: PolicyConfig,
  known: KnownTools,
): Doubt[] {
  if (text.startsWith("group:") || allOf(known).some(({ name }) => name === text)) return []
  if (text.startsWith(bridgedPrefix)) return doubtBridged(text, path, config)
  if (text.includes("*")) {
    return toolsMeant(text, path, config, known).length > 0 ? [] : [doubtPattern(text, path, known)]
  }
  const names = known.tools.map(({ name }) => name)
  const other = known.otherWords?.get(text)
  const meant = other ?? nearest(text, names)
  const family = text.includes(".") ? text.slice(0, text.indexOf(".") + 1) : null
  const relatives = family === null ? [] : names.filter((name) => name.startsWith(family))
  const isMistake = meant !== null || relatives.length > 0 || known.own === undefined
  const said = other === undefined ? "which is no tool" : "a word of another vocabulary"
  const hint = meant !== null ? `did you mean "${meant}"?` : thereAre(relatives)
  const problem = isMistake
    ? `is ${quote(text)}, ${said}; ${hint}`
    : `is ${quote(text)}, which is no tool yet.`
  return [{ path, problem, isMistake }]
}

/** A pattern that matches nothing. */
function doubtPattern(text: string, path: ConfigPath, known: KnownTools): Doubt {
  const families = known.tools.map(({ name }) => `${name.slice(0, name.indexOf("."))}.*`)
  const close = nearest(text, [...new Set(families)])
  const isMistake = !mayMeanLater(text, known) || close?.toLowerCase() === text.toLowerCase()
  const hint = close ? `did you mean "${close}"?` : thereAre([])
  const problem = isMistake
    ? `is ${quote(text)}, which matches no tool; ${hint}`
    : `is ${quote(text)}, which matches no tool that is known yet.`
  return { path, problem, isMistake }
}

/** Whether a pattern may match tools that come later: those of a program, or of bridged servers. */
function mayMeanLater(pattern: string, { own }: KnownTools): boolean {
  return own !== undefined || bridgedPrefix.startsWith(pattern.slice(0, pattern.indexOf("*")))
}

const bridgedPrefix = "mcp:"

function allOf({ tools, own = [] }: KnownTools): readonly Tool[] {
  return [...tools, ...own]
}

function thereAre(relatives: readonly string[]): string {
  return relatives.length > 0
    ? `there are ${relatives.join(", ")}.`
    : "toolkeep tools lists those there are."
}

/** A server's tools are known when it has started. */
function doubtBridged(text: string, path: ConfigPath, { mcpServers = {} }: PolicyConfig): Doubt[] {
  const [, server = "", tool = "*"] = text.split(":")
  const servers = Object.keys(mcpServers)
  if (!server.includes("*") && !servers.includes(server)) {
    const close = nearest(server, servers)
    const hint = close ? `; did you mean "${close}"?` : "."
    const problem = `names the MCP server ${quote(server)}, which is not under mcpServers${hint}`
    return [{ path, problem, isMistake: false }]
  }
  if (tool.includes("*") || server.includes("*")) return []
  const problem = `names ${quote(text)}, which can't be checked before that MCP server has started.`
  return [{ path, problem, isMistake: false }]
}

/** The fields of `when` that no tool has which the rule is about. */
function doubtFields(
  rule: RuleConfig,
  path: ConfigPath,
  config: PolicyConfig,
  known: KnownTools,
): Doubt[] {
  const { kind, text } = targetOf(rule)
  const meant = toolsMeant(text, path.at(kind), config, known)
  // Tools that come later may be meant as well, and nobody knows their arguments.
  const isWhole = text.includes("*") ? !mayMeanLater(text, known) : !text.includes(":")
  if (meant.length === 0) return []
  return Object.keys(rule.when).flatMap((field) => {
    if (meant.some((tool) => hasField(tool, field))) return []
    const fields = meant.flatMap((tool) => [...fieldsOf(tool)])
    const close = nearest(field, fields)
    const hint = close
      ? `did you mean "${close}"?`
      : `there are ${[...new Set(fields)].slice(0, 20).join(", ") || "none"}.`
    const problem = `is no argument of ${text}; ${hint}`
    const isMistake = isWhole || close !== null
    return [{ path: path.at("when").at(field), problem, isMistake }]
  })
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

function toolsMeant(
  text: string,
  path: ConfigPath,
  { tools, origin }: PolicyConfig,
  known: KnownTools,
): readonly Tool[] {
  const groups = compileGroups(tools?.groups ?? {}, configRoot(origin).at("tools").at("groups"))
  const pattern = compileNamePattern(text, groups, path)
  return allOf(known).filter((tool) => pattern.matches(tool))
}
