import { configRoot, parseYaml } from "../config/index.ts"
import { DefinitionError } from "../contract/index.ts"
import { suggest } from "../kit/index.ts"
import { catalogue } from "../tools/index.ts"
import { checkDialect } from "./check-dialect.ts"
import { createVocabulary, type Vocabulary } from "./create-vocabulary.ts"
import type { DialectTable } from "./dialect-table.ts"

const tables: Readonly<Record<string, () => Promise<DialectTable>>> = {
  flue: async () => (await import("./tables/flue.ts")).flue,
  osaurus: async () => (await import("./tables/osaurus.ts")).osaurus,
  cloudflare: async () => (await import("./tables/cloudflare.ts")).cloudflare,
  openrath: async () => (await import("./tables/openrath.ts")).openrath,
  flynn: async () => (await import("./tables/flynn.ts")).flynn,
}

export const dialectNames: readonly string[] = Object.keys(tables)

/** One of the vocabularies that Toolkeep brings; null for another name. */
export async function builtInDialect(name: string): Promise<DialectTable | null> {
  const load = Object.hasOwn(tables, name) ? tables[name] : undefined
  return load ? load() : null
}

/** A dialect by the name of a built-in one, or as a table, for the sessions of a host, each with what its commands reach. */
export async function openDialect(
  wanted: string | DialectTable,
  home: string | undefined,
): Promise<(environment: string) => Vocabulary> {
  const tools = canonicalTools()
  const table =
    typeof wanted === "string"
      ? await requireBuiltIn(wanted)
      : checkDialect({ ...wanted }, configRoot(), tools)
  const canonical = new Set(tools.keys())
  return (environment) => createVocabulary(table, { home, canonical, environment })
}

async function requireBuiltIn(name: string): Promise<DialectTable> {
  const table = await builtInDialect(name)
  if (table) return table
  const hint = suggest(name, dialectNames)
  throw new DefinitionError(`There is no dialect ${JSON.stringify(name)}; ${hint}`)
}

/**
 * Reads a user's own vocabulary. Every mistake in it is a DefinitionError of one sentence that names
 * the file, the line and the place.
 */
export async function parseDialectYaml(text: string, fileName: string): Promise<DialectTable> {
  const { value, origin } = await parseYaml(text, fileName, "dialect: house")
  return checkDialect(value, configRoot(origin), canonicalTools())
}

function canonicalTools() {
  return new Map(catalogue().map((tool) => [tool.name, tool]))
}
