// The subject: Toolkeep's server with one trivial tool, on lines or over HTTP.
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineTool } from "../../src/contract/index.ts"
import { serveHttp, serveStdio } from "../../src/mcp/index.ts"
import { openToolkeep } from "../../src/session/index.ts"

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  effects: ["read"],
  input: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  } as const,
  output: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  run: ({ text }) => ({ text }),
})

const home = mkdtempSync(join(tmpdir(), "toolkeep-bench-"))
const record = process.argv[3] === "recorded"
const keep = await openToolkeep({ host: "memory", home, tools: [echo], record })
if (process.argv[2] === "http") {
  const { url, token } = await serveHttp(keep, { tokenFile: join(home, "token"), port: 0 })
  console.log(JSON.stringify({ url, token }))
  process.on("SIGUSR2", () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    console.log(JSON.stringify({ bytes: heapUsed + external }))
  })
} else {
  await serveStdio(keep.session())
}
