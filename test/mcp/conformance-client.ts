import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bridgeServers } from "../../src/mcp/index.ts"
import { openToolkeep } from "../../src/session/index.ts"

/** What the conformance suite starts, with the address of its server: the bridge, calling every tool there is. */
const home = mkdtempSync(join(tmpdir(), "toolkeep-conformance-"))
const url = process.argv.at(-1) ?? ""
const sources = [bridgeServers({ mcpServers: { suite: { url } } })]
const keep = await openToolkeep({ host: "memory", home, sources })
try {
  const session = keep.session()
  await session.prepare()
  const tools = session.tools({ all: true }).filter((tool) => tool.name.startsWith("mcp:suite:"))
  for (const { name, inputSchema } of tools) {
    const input = Object.fromEntries(
      (inputSchema.required ?? []).map((key, index) => [key, index + 1]),
    )
    console.log(JSON.stringify(await session.call(name, input)))
  }
} finally {
  await keep.close()
  rmSync(home, { recursive: true, force: true })
}
