import type { DialectEntry, DialectTable } from "../dialect-table.ts"
import { cloudflare } from "./cloudflare.ts"

const names = ["shell", "read_file", "write_file", "glob", "browse"] as const

/** The five tools of that document which work in one sandbox, without an argument that names another. */
export function boundSandbox(name: string): DialectTable {
  return {
    ...cloudflare,
    dialect: "sandbox",
    tools: Object.fromEntries(names.map((tool) => [tool, bind(cloudflare.tools[tool], name)])),
  }
}

function bind(entry: DialectEntry, name: string): DialectEntry {
  const { sandbox: _, ...others } = entry.arguments ?? {}
  return { ...entry, arguments: others, with: { ...entry.with, sandbox: name } }
}
