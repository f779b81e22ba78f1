/** Calls back for every object inside a syntax tree, outer ones first. No recursion: scripts may nest deeply. */
export function visitNodes(root: unknown, visit: (node: object) => void): void {
  const left: unknown[] = [root]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue
    visit(next)
    for (const part of Object.values(next)) if (part !== undefined) left.push(part)
  }
}
