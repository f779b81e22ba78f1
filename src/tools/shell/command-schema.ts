import {
  type InferSchema,
  type JsonSchema,
  type ResultView,
  showLines,
} from "../../contract/index.ts"

/** The fields of every program that was waited for. */
export const endFields = {
  stdout: { type: "string" },
  stderr: { type: "string" },
  exit_code: { type: "integer" },
  cwd: { type: "string" },
  duration_ms: { type: "integer" },
  timed_out: { const: true, description: "A timeout of the call ended it." },
  killed_by: { const: "user", description: "A person ended it." },
} as const satisfies Readonly<Record<string, JsonSchema>>

export const endRequired = ["stdout", "stderr", "exit_code", "cwd", "duration_ms"] as const

/** What shell.exec answers for a command in the foreground. */
export const commandSchema = {
  type: "object",
  properties: { kind: { const: "command" }, ...endFields },
  required: ["kind", ...endRequired],
  additionalProperties: false,
} as const

type CommandEnd = Omit<InferSchema<typeof commandSchema>, "kind" | "cwd" | "duration_ms">

/** What a program wrote and how it ended, where that is worth a word. */
export function showEnd(end: CommandEnd, { outputShown, endShown }: ResultView): string {
  return showLines(
    !outputShown && end.stdout,
    !outputShown && end.stderr,
    !endShown && end.exit_code !== 0 && `[exit code ${end.exit_code}]`,
    !endShown && end.killed_by && `[ended by the ${end.killed_by}]`,
  )
}
