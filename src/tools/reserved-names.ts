/** Names of tools that sessions will bring: nobody else's tool may have them until then. */
export const reservedNames = ["task", "todo", "clarify", "complete", "sessions.*"] as const

export function isReservedName(name: string): boolean {
  return reservedNames.some((reserved) =>
    reserved.endsWith(".*") ? name.startsWith(reserved.slice(0, -1)) : name === reserved,
  )
}
