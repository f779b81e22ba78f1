import { message } from "../connect/message.ts"

const text = { type: "string" } as const
const bytes = { type: "string", contentEncoding: "base64" } as const
const size = { type: "integer", minimum: 0, maximum: 65_535 } as const

const pty = message({ "size?": message({ "cols?": size, "rows?": size }) })
const selector = message({ "pid?": { type: "integer" }, "tag?": text })
const input = message({ "stdin?": bytes, "pty?": bytes })

/** The requests of process.Process in the JSON form of protocol buffers. */
export const processRequests = {
  list: message({}),
  start: message({
    process: message({
      cmd: text,
      "args?": { type: "array", items: text },
      "envs?": { type: "object", additionalProperties: text },
      "cwd?": text,
    }),
    "pty?": pty,
    "tag?": text,
    "stdin?": { type: "boolean" },
  }),
  connect: message({ process: selector }),
  update: message({ process: selector, "pty?": pty }),
  sendInput: message({ process: selector, input }),
  streamInput: message({
    "start?": message({ process: selector }),
    "data?": message({ input }),
    "keepalive?": message({}),
  }),
  sendSignal: message({
    process: selector,
    signal: { enum: ["SIGNAL_SIGTERM", "SIGNAL_SIGKILL"] },
  }),
  closeStdin: message({ process: selector }),
} as const

/** What a process does, as its streams tell it. */
export type ProcessEvent =
  | { readonly start: { readonly pid: number } }
  | { readonly data: { readonly [stream in "stdout" | "stderr" | "pty"]?: string } }
  | { readonly end: EndEvent }
  | { readonly keepalive: Record<string, never> }

export interface EndEvent {
  readonly exitCode: number
  /** Whether it ended by itself. */
  readonly exited: boolean
  readonly status: string
  readonly error?: string
}
