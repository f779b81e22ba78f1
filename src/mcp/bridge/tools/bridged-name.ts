import { createHash } from "node:crypto"

/** As long as a tool's name may be. */
const longest = 64

/**
 * The name under which a server's tool appears: `mcp:server:tool`. What names can't have becomes "_",
 * and of one that is too long a part of its hash takes the place of the end.
 */
export function bridgedName(server: string, tool: string): string {
  const start = `mcp:${server}:`
  const plain = tool
    .replaceAll(/[^A-Za-z0-9_.-]/g, "_")
    .replaceAll(/\.(?=\.|$)/g, "_")
    .replace(/^\./, "_")
  if (start.length + plain.length <= longest && plain !== "") return start + plain
  const hash = createHash("sha256").update(tool).digest("hex").slice(0, 8)
  return `${start}${plain.slice(0, longest - start.length - 9)}_${hash}`.replace("._", "__")
}
