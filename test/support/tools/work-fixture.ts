import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { ToolFailure } from "../../../src/contract/index.ts"
import { answerRequests } from "../../../src/tools/work/answer-requests.ts"

const attempt = (work: () => unknown): string => {
  try {
    return String(work())
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error)
  }
}

async function connection(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve("connected"))
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message))
  })
}

/** For tests: what a process does as it is asked to, also what none should. */
async function perform(request: string, bytes: Uint8Array): Promise<unknown> {
  const [what = "", argument = ""] = request.split(" ")
  switch (what) {
    case "loop":
      for (;;);
    case "regex":
      return /^(a+)+$/.test(`${"a".repeat(64)}b`)
    case "wait":
      return new Promise(() => {})
    case "exit":
      return process.exit(3)
    case "crash":
      setImmediate(() => {
        throw new Error("nobody catches this")
      })
      return new Promise(() => {})
    case "refuse":
      throw new ToolFailure({ kind: "invalid_args", message: "Not that.", field: "path" })
    case "fill": {
      const kept: unknown[] = []
      for (;;) kept.push(new Array(100_000).fill(kept.length))
    }
    case "buffers": {
      const kept: unknown[] = []
      for (;;) kept.push(Buffer.alloc(2 ** 22, kept.length))
    }
    case "pid":
      return process.pid
    case "look":
      return {
        environment: Object.keys(process.env),
        user: process.getuid?.(),
        files: readdirSync("/proc/self/fd")
          .map((name) => attempt(() => readlinkSync(`/proc/self/fd/${name}`)))
          .filter((path) => /^\/(?!dev|proc)/.test(path)),
        canary: attempt(() => readFileSync(argument)),
        write: attempt(() => writeFileSync(`${argument}.new`, "x")),
        processes: readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length,
      }
    case "connect":
      return connection(Number(argument))
    default:
      return `heard ${request} and ${bytes.length} bytes`
  }
}

answerRequests(async (request: string, bytes) => ({
  value: await perform(request, bytes),
  bytes: bytes.toReversed(),
}))
