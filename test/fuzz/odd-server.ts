import { createInterface } from "node:readline"
import { mutateBytes, mutateMessage } from "./mutate-message.ts"
import { createRandom } from "./random.ts"
import { describedTool, notifications, plainResult, requests } from "./server-messages.ts"

/**
 * An MCP server on pipes whose messages are nearly right. Each request gets a few wrong ones first, among them wrong
 * answers to itself, and then a right one.
 */
const random = createRandom(Number(process.argv[2] ?? 1))
const write = (bytes: string | Buffer) => process.stdout.write(bytes)
const results: Record<string, (params: Record<string, unknown>) => object> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "odd", version: "1" },
  }),
  "tools/list": () => ({ tools: [describedTool("echo")] }),
  "tools/call": () => plainResult,
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  const result = results[method]?.(params)
  if (id === undefined || method === undefined) return
  const error = { code: -32_601, message: "There is no such method." }
  const answer = { jsonrpc: "2.0", id, ...(result ? { result } : { error }) }
  for (let count = method === "tools/call" ? 12 : 3; count > 0; count -= 1) {
    const base = random.pick([answer, ...notifications, ...requests])
    // An answer that comes first would be the answer, so it is to another request.
    const other =
      base === answer && !random.chance(0.3)
        ? { ...answer, id: random.pick([id + 1, `${id}`, null, 1e9]) }
        : base
    const text = JSON.stringify(other === answer ? answer : mutateMessage(other, random))
    write(random.chance(0.3) ? mutateBytes(text, random) : text)
    write("\n")
  }
  write(`${JSON.stringify(answer)}\n`)
})
