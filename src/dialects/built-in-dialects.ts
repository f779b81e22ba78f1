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
