import { integer, object, text } from "../contract/index.ts"

/** What several routes take or answer. */

export const sessionArgument = text('The name of a session, such as "demo".', { maxLength: 512 })

export const callArgument = text("The id of a call.", { maxLength: 128 })

export const time = (description: string) =>
  integer(`${description}, in milliseconds since 1970.`, { minimum: 0 })

export const anything = { description: "Any JSON value." } as const

export const nullableText = (description: string) =>
  ({ type: ["string", "null"], description }) as const

export const list = <const Items>(items: Items) => ({ type: "array", items }) as const

/** The part of a file that is wanted; all of it where nothing is said. */
export const rangeArguments = {
  "offset?": integer("The first byte.", { minimum: 0 }),
  "limit?": integer("How many bytes at most.", { minimum: 0 }),
} as const

/** What is in a directory. */
export const directorySchema = object({
  entries: list(
    object({
      name: text("Its name."),
      type: { enum: ["file", "directory", "symlink", "other"] },
    }),
  ),
  truncated: { type: "boolean" },
})

export const sessionSchema = object({
  name: text("Its name."),
  parent: nullableText("The name of the session that it is a task of."),
  state: { enum: ["idle", "running", "waiting"] },
  is_open: { type: "boolean", description: "Whether this server has it open." },
  head: integer("The sequence number of its last entry.", { minimum: 0 }),
  created_ms: time("When it was created"),
  updated_ms: time("When something was last recorded in it"),
})

export const entrySchema = object({
  sequence: integer("Its number in the session, from 1.", { minimum: 1 }),
  parent: { type: ["integer", "null"], description: "The entry that it follows." },
  kind: text("Such as call, envelope, message or question."),
  at_ms: time("When it was recorded"),
  body: anything,
})

export const runningSchema = object({
  call: text("Its id."),
  tool: text("The tool's name."),
  started_ms: time("When it was requested"),
})

export const questionSchema = object({
  question: text("Its id."),
  kind: { enum: ["approval", "clarify"] },
  session: text("The session that asks."),
  call: text("The call that waits."),
  tool: text("The tool to be called."),
  text: text("What the person is asked, as a text to show as it is."),
  input: anything,
  "rule?": object({
    text: text("The rule that asks."),
    "because?": text("Its reason."),
    "line?": { type: "integer", description: "Its line in toolkeep.yaml." },
    "file?": text("The name of that file."),
  }),
  "options?": list({ type: "string" }),
  asked_ms: time("When it was asked"),
  expires_ms: { type: ["integer", "null"], description: "When it expires; null for never." },
  fingerprint: nullableText("Stands for exactly what would run; the answer repeats it."),
})

/** What "always" has allowed. */
export const grantSchema = object({
  tool: text("The tool's name.", { maxLength: 256 }),
  rule: text("The rule that does not ask any more.", { maxLength: 10_000 }),
  sandbox: nullableText("The sandbox that it is for; null for a tool that needs none."),
})

export const ruleSchema = object({
  source: text("Where it comes from, such as profile, argument, hook or default."),
  text: text("The rule, for people."),
  "because?": text("The reason that its author gave."),
  "remedy?": text("How a person can allow what it denies."),
  "line?": { type: "integer", description: "Its line in the policy's file." },
  "file?": text("The name of that file."),
})

export const explanationSchema = object({
  verdict: { enum: ["allow", "ask", "deny"] },
  rule: ruleSchema,
  depends_on_arguments: {
    type: "boolean",
    description: "Without an input: whether a rule on arguments could decide otherwise.",
  },
  change: nullableText(
    "The smallest change that would decide otherwise; null where none is known. With suggest, it was tried.",
  ),
  steps: list(
    object({
      stage: text("Such as profile allow, arguments or hooks."),
      says: { enum: ["allow", "log", "ask", "deny", "depends", "nothing"] },
      rule: ruleSchema,
      decided: { type: "boolean" },
    }),
  ),
})

/** What happened to the files of one sandbox. */
export const changesSchema = object({
  sandbox: text("Its name."),
  below: nullableText("The directory that was looked at; null where nobody could look."),
  count: integer("How many paths have changed, those that are not listed included.", {
    minimum: 0,
  }),
  files: list(
    object({
      path: text("Below that directory."),
      change: { enum: ["created", "changed", "removed"] },
      type: text("Such as file, directory or symlink."),
      bytes: {
        type: ["integer", "null"],
        description: "Its size after, or before it was removed.",
      },
      "diff?": text("A unified diff; empty where the text is the same."),
      "unknown?": text('Completes "not known, because ...", where there is no diff.'),
      calls: list(
        object({ session: text("Of a task, its own."), call: text("The id of the call.") }),
      ),
      interrupted: {
        type: "boolean",
        description: "Whether something else has changed it between these calls.",
      },
    }),
  ),
  notes: list({ type: "string" }),
})

export const tokenSchema = object({
  token: text("Its id, which does not reveal it."),
  name: text("What it is called."),
  kind: { enum: ["owner", "session", "read", "approve"] },
  is_device: { type: "boolean", description: "Whether a sign-in code was exchanged for it." },
  session: nullableText("The only session that it may use; null for all."),
  created_ms: time("When it was created"),
  expires_ms: { type: ["integer", "null"], description: "When it expires; null for never." },
  used_ms: { type: ["integer", "null"], description: "When it was last used; null for never." },
})
