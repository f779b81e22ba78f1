import { integer, object, text } from "../contract/index.ts"
import { defineRoutes } from "./route.ts"
import { directorySchema, list, nullableText, rangeArguments, sessionArgument } from "./schemas.ts"

const atEntry = {
  session: sessionArgument,
  entry: integer("The number of an entry.", { minimum: 1 }),
}

const inCheckpoint = {
  ...atEntry,
  sandbox: text("The name of a sandbox.", { maxLength: 128 }),
}

/** The server's own agent, and what agents leave in the record: the files of the sandboxes at some entries. */
export const agentRoutes = defineRoutes({
  "runs.model": {
    method: "GET",
    path: "/model",
    scope: "read",
    summary: "The model that the server's agent asks, or what is missing for one.",
    input: object({}),
    answer: object({
      model: nullableText("Its id; null where none can be asked."),
      why_not: nullableText("What to set so that one can be; null where one can."),
    }),
  },
  "runs.show": {
    method: "GET",
    path: "/sessions/{session}/run",
    scope: "read",
    summary: "Whether the server's agent works in a session.",
    input: object({ session: sessionArgument }),
    answer: object({
      run: {
        enum: ["none", "running", "waiting", "interrupted"],
        description:
          "waiting: for answers to questions. interrupted: no process works on it any more, or another one does.",
      },
      problem: nullableText("Why the last run could not go on, where the record does not say."),
    }),
  },
  "runs.start": {
    method: "POST",
    path: "/sessions/{session}/run",
    scope: "own",
    summary:
      "Asks the model: starts a run of the server's agent. A run that works already is told, and reads it before its next request.",
    input: object({
      session: sessionArgument,
      "text?": text("What to say; absent to continue the last run.", {
        minLength: 1,
        maxLength: 100_000,
      }),
    }),
    answer: object({
      started: { type: "boolean", description: "False when a run that works was told." },
    }),
  },
  "runs.abort": {
    method: "POST",
    path: "/sessions/{session}/run/abort",
    scope: "own",
    summary: "Ends the run with its calls. It can be continued.",
    input: object({ session: sessionArgument }),
    answer: object({
      aborted: { type: "boolean", description: "False when none works here." },
    }),
  },
  "checkpoints.show": {
    method: "GET",
    path: "/sessions/{session}/entries/{entry}/checkpoint",
    scope: "read",
    summary:
      "The last files that were recorded until an entry: at which entry, and of which sandboxes.",
    input: object(atEntry),
    answer: object({
      recorded_at: {
        type: ["integer", "null"],
        description: "The entry that they were recorded with; null where none were.",
      },
      why_not: nullableText("Why they can't be read; null where they can."),
      sandboxes: list({ type: "string" }),
    }),
  },
  "checkpoints.list": {
    method: "GET",
    path: "/sessions/{session}/entries/{entry}/files",
    scope: "own",
    summary: "Lists a directory as it was recorded last until an entry.",
    input: object({
      ...inCheckpoint,
      path: text("A directory.", { maxLength: 4096, default: "." }),
    }),
    answer: directorySchema,
  },
  "checkpoints.read": {
    method: "GET",
    path: "/sessions/{session}/entries/{entry}/file",
    scope: "own",
    summary: "The bytes of a file as it was recorded last until an entry, or a part of them.",
    input: object({
      ...inCheckpoint,
      path: text("A file.", { maxLength: 4096 }),
      ...rangeArguments,
    }),
    answer: "bytes",
  },
})

export type AgentRoute = keyof typeof agentRoutes
