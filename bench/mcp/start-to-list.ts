import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const messages = [
  {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]

/** Starts a server, asks for its tools, and ends it when it has answered. Resolves with their number. */
export async function startToList(args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("close", resolve))
  for (const message of messages) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  }
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = JSON.parse(line)
      if (answer.id === 2) return answer.result.tools.length
    }
    throw new Error("The server ended without its tools.")
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}
