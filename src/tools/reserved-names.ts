/** Names of tools that sessions bring, or will: nobody else's tool may have them. */
const reservedNames = ["task", "todo", "clarify", "complete", "sessions.*", "tools.search"] as const

export function isReservedName(name: string): boolean {
  return reservedNames.some((reserved) =>
    reserved.endsWith(".*") ? name.startsWith(reserved.slice(0, -1)) : name === reserved,
  )
}
