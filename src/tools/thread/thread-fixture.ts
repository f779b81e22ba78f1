import { ToolFailure } from "../../contract/index.ts"
import { answerRequests } from "./answer-requests.ts"

/** For tests: a thread that does what it is asked to, also what no thread should. */
answerRequests(async (request: string) => {
  switch (request) {
    case "loop":
      for (;;);
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
    default:
      return `heard ${request}`
  }
})
