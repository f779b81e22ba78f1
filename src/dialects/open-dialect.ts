import { configRoot } from "../config/index.ts"
import { DefinitionError } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { catalogue } from "../tools/index.ts"
import { builtInDialect, dialectNames } from "./built-in-dialects.ts"
import { checkDialect } from "./check-dialect.ts"
import { createVocabulary, type Vocabulary } from "./create-vocabulary.ts"
import type { DialectTable } from "./dialect-table.ts"

/** A dialect by the name of a built-in one, or as a table, for the sessions of a host. */
export async function openDialect(
  wanted: string | DialectTable,
  home: string | undefined,
): Promise<() => Vocabulary> {
  const tools = new Map(catalogue().map((tool) => [tool.name, tool]))
  const table =
    typeof wanted === "string"
      ? await findBuiltIn(wanted)
      : checkDialect({ ...wanted }, configRoot(), tools)
  const canonical = new Set(tools.keys())
  return () => createVocabulary(table, { home, canonical })
}

async function findBuiltIn(name: string): Promise<DialectTable> {
  const table = await builtInDialect(name)
  if (table) return table
  const close = nearest(name, dialectNames)
  throw new DefinitionError(
    `There is no dialect ${JSON.stringify(name)}; ` +
      (close ? `did you mean "${close}"?` : `there are ${dialectNames.join(", ")}.`),
  )
}
