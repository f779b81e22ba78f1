import type { InferSchema, JsonSchema } from "../../contract/index.ts"

/** How a process is doing, flat, so that a loop can steer on `state`. */
export const stateFields = {
  state: {
    enum: ["running", "exited", "killed", "gone"],
    description: "gone: its sandbox slept or was restarted, so nobody knows how it ended.",
  },
  exit_code: { type: "integer", description: "Of one that has exited." },
  why: { type: "string", description: "Why one is gone." },
} as const satisfies Readonly<Record<string, JsonSchema>>

const fields = {
  kind: { const: "process" },
  id: { type: "string", description: "Unlike a pid, never used for another one." },
  pid: { type: "integer", description: "Its number inside the sandbox." },
  command: { type: "string" },
  args: { type: "array", items: { type: "string" } },
  cwd: { type: "string" },
  log_file: { type: "string", description: "Where both of its output streams go." },
  started: { type: "string", format: "date-time" },
  ...stateFields,
} as const satisfies Readonly<Record<string, JsonSchema>>

const required = ["kind", "id", "pid", "command", "cwd", "log_file", "started", "state"] as const

/** One background process. */
export const processSchema = {
  type: "object",
  properties: fields,
  required,
  additionalProperties: false,
} as const

/** One that shell.exec has just started. */
export const startedSchema = {
  type: "object",
  properties: { ...fields, background: { const: true } },
  required: [...required, "background"],
  additionalProperties: false,
} as const

/** One that was waited for. */
export const waitedSchema = {
  type: "object",
  properties: {
    ...fields,
    timed_out: { const: true, description: "It still runs: timeout_ms was over first." },
  },
  required,
  additionalProperties: false,
} as const

/** One line for a process: how it is doing and where its output goes. */
export function showProcess(process: Omit<InferSchema<typeof processSchema>, "kind">): string {
  const code = process.exit_code === undefined ? "" : ` with exit code ${process.exit_code}`
  return `Process ${process.pid} (${process.command}): ${process.state}${code}; its output is in ${process.log_file}`
}
