// The subject: Toolkeep's server with one trivial tool, on lines or over HTTP.
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineTool } from "../../src/index.ts"
import {
  createApprovalDesk,
  loadHttpServer,
  loadLineServer,
  openAccessTokens,
} from "../../src/mcp/index.ts"
import { openToolkeep } from "../../src/session/index.ts"

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  } as const,
  outputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  run: ({ text }) => ({ text }),
})

const desk = createApprovalDesk()
const home = mkdtempSync(join(tmpdir(), "toolkeep-bench-"))
const keep = await openToolkeep({ host: "memory", home, tools: [echo], approve: desk.approve })
if (process.argv[2] === "http") {
  const { serveHttp } = await loadHttpServer()
  const tokens = openAccessTokens(join(home, "token"))
  const { url } = await serveHttp({ keep, tokens, settings: { desk }, port: 0 })
  console.log(JSON.stringify({ url, token: tokens.first }))
  process.on("SIGUSR2", () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    console.log(JSON.stringify({ bytes: heapUsed + external }))
  })
} else {
  const { stdin: input, stdout: output } = process
  const { signal } = new AbortController()
  const { serveLines } = await loadLineServer()
  await serveLines({ session: keep.session(), desk, input, output, signal })
}
