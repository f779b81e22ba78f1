import { integer, object, text } from "../contract/index.ts"
import { defineRoutes } from "./route.ts"
import {
  anything,
  callArgument,
  changesSchema,
  entrySchema,
  explanationSchema,
  grantSchema,
  list,
  nullableText,
  questionSchema,
  ruleSchema,
  runningSchema,
  sessionArgument,
  sessionSchema,
  time,
} from "./schemas.ts"

/** Sessions, their entries, calls and questions. */
export const sessionRoutes = defineRoutes({
  "sessions.list": {
    method: "GET",
    path: "/sessions",
    scope: "read",
    summary: "Lists the recorded sessions, the latest first.",
    input: object({ "limit?": integer("How many.", { minimum: 1, maximum: 1_000 }) }),
    answer: object({ sessions: list(sessionSchema) }),
  },
  "sessions.show": {
    method: "GET",
    path: "/sessions/{session}",
    scope: "read",
    summary: "Describes one session, with the calls that run in it.",
    input: object({ session: sessionArgument }),
    answer: object({ session: sessionSchema, running: list(runningSchema) }),
  },
  "sessions.delete": {
    method: "DELETE",
    path: "/sessions/{session}",
    scope: "own",
    summary: "Deletes a session: its record, the files of its sandboxes and its artifacts.",
    input: object({ session: sessionArgument }),
    answer: object({ deleted: list({ type: "string" }) }),
  },
  "sessions.watch": {
    method: "GET",
    path: "/events",
    scope: "read",
    summary:
      "Sends each session as it is now, and again when something is recorded in it. Events: session, deleted, heartbeat.",
    input: object({}),
    answer: "events",
  },
  "entries.list": {
    method: "GET",
    path: "/sessions/{session}/entries",
    scope: "read",
    summary: "Reads the record of a session: forwards after an entry, or backwards before one.",
    input: object({
      session: sessionArgument,
      "after?": integer("Only entries after this number.", { minimum: 0 }),
      "before?": integer("Only entries before this number, the newest first.", { minimum: 1 }),
      "limit?": integer("How many at most; fewer where they are large.", {
        minimum: 1,
        maximum: 512,
      }),
    }),
    answer: object({
      entries: list(entrySchema),
      head: integer("The number of the last entry.", { minimum: 0 }),
    }),
  },
  "entries.watch": {
    method: "GET",
    path: "/sessions/{session}/events",
    scope: "read",
    summary:
      "Sends every entry after a number, then each new one as it is recorded, with its number as the event's id, the output of running calls, of much output the end, and what the server's model writes until it is recorded. Events: entry, output, output-dropped, model-text, heartbeat.",
    input: object({
      session: sessionArgument,
      "after?": integer("The number to go on after; the header Last-Event-ID has precedence.", {
        minimum: 0,
      }),
    }),
    answer: "events",
  },
  "record.watch": {
    method: "GET",
    path: "/record/events",
    scope: "read",
    narrowed: true,
    summary:
      "Sends every entry of all sessions after a position, then each new one as it is recorded, with its position as the event's id. Positions only grow. Without one it begins now, with the event from, whose id is that position. Events: from, entry, heartbeat.",
    input: object({
      "after?": integer(
        "The position to go on after, 0 for the beginning; the header Last-Event-ID has precedence.",
        { minimum: 0 },
      ),
    }),
    answer: "events",
  },
  "tools.list": {
    method: "GET",
    path: "/sessions/{session}/tools",
    scope: "read",
    summary: "Lists the tools that the session shows, with their schemas.",
    input: object({
      session: sessionArgument,
      all: {
        type: "boolean",
        default: false,
        description: "Whether to list also those that a model finds with tools.search only.",
      },
    }),
    answer: object({
      tools: list(
        object({
          name: text("Its name."),
          title: text("What it is called for a person."),
          description: text("What it does."),
          effects: list({ type: "string" }),
          input_schema: anything,
        }),
      ),
    }),
  },
  "policy.explain": {
    method: "POST",
    path: "/sessions/{session}/explain",
    scope: "read",
    summary:
      "What repair and policy would do to a call: each stage, the rule that decides, and what would change that. Nothing runs.",
    input: object({
      session: sessionArgument,
      tool: text("The tool's name.", { maxLength: 256 }),
      "input?": { type: "object", additionalProperties: anything },
      "agent?": text("The agent that would call it.", { maxLength: 256 }),
      "provider?": text("The provider of its model.", { maxLength: 256 }),
      "sandbox?": text("The sandbox that it would run in.", { maxLength: 128 }),
      suggest: {
        type: "boolean",
        default: false,
        description: "Whether to try changes of the policy until one decides otherwise.",
      },
    }),
    answer: object({
      tool: text("Its name."),
      "input?": anything,
      repairs: list({ type: "string" }),
      "failure?": anything,
      "explanation?": explanationSchema,
    }),
  },
  "policy.table": {
    method: "GET",
    path: "/sessions/{session}/policy",
    scope: "read",
    summary:
      "The verdict on each tool, for any agent (null) and for each agent that toolkeep.yaml names, with the rule that decides.",
    input: object({
      session: sessionArgument,
      "agent?": text("One more agent, by its name.", { maxLength: 256 }),
    }),
    answer: object({
      agents: list({ type: "string" }),
      tools: list(
        object({
          tool: text("Its name."),
          cells: list(
            object({
              agent: nullableText("Whom it is about; null for any agent."),
              verdict: { enum: ["allow", "ask", "deny"] },
              rule: ruleSchema,
              depends_on_arguments: {
                type: "boolean",
                description: "Whether a rule on arguments could decide otherwise.",
              },
            }),
          ),
        }),
      ),
    }),
  },
  "calls.start": {
    method: "POST",
    path: "/sessions/{session}/calls",
    scope: "call",
    summary:
      "Calls a tool, as an agent would: checked, judged, recorded. Answers with the envelope, or at once with wait false.",
    input: object({
      session: sessionArgument,
      tool: text("The tool's name.", { maxLength: 256 }),
      input: { type: "object", additionalProperties: anything, default: {} },
      "sandbox?": text("The sandbox to run in.", { maxLength: 128 }),
      "cwd?": text("The directory where paths start.", { maxLength: 4096 }),
      "timeout_ms?": integer("A deadline of your own.", { minimum: 1 }),
      "ask?": text("Why a person is asked first, also where the policy allows the call.", {
        maxLength: 500,
      }),
      wait: {
        type: "boolean",
        default: true,
        description: "Whether to answer when the call has ended.",
      },
    }),
    answer: object({ call: text("Its id."), "envelope?": anything }),
  },
  "calls.output": {
    method: "GET",
    path: "/sessions/{session}/calls/{call}/output",
    scope: "read",
    summary:
      "A part of what a call has printed, both streams as one: of a long output, 256 Ki characters of its beginning and of its end are recorded; while it runs, 16 Ki.",
    input: object({
      session: sessionArgument,
      call: callArgument,
      from: integer("The first byte, as UTF-8; counted from the end where it is negative.", {
        default: 0,
      }),
      bytes: integer("How many bytes at most.", {
        ...{ minimum: 4, maximum: 1_048_576, default: 65_536 },
      }),
    }),
    answer: object({
      from: integer("Where the text begins: later, where that was not recorded.", { minimum: 0 }),
      text: { type: "string" },
      next: integer("Where to go on; the size where there is no more.", { minimum: 0 }),
      size: integer("How much it printed in all.", { minimum: 0 }),
      missing: {
        anyOf: [
          { type: "null" },
          object({ from: integer("The first byte.", {}), to: integer("The byte after.", {}) }),
        ],
        description: "What was not recorded; null where all of it was.",
      },
    }),
  },
  "calls.received": {
    method: "GET",
    path: "/sessions/{session}/calls/{call}/received",
    scope: "read",
    summary:
      "The answer of an ended call as its MCP client got it, made again from the record. Null for callers that get the envelope itself.",
    input: object({ session: sessionArgument, call: callArgument }),
    answer: object({
      received: {
        anyOf: [
          { type: "null" },
          object({
            form: text("Which parts of a result the client gets."),
            "dialect?": text("In the words of which dialect."),
            "result?": anything,
            "unknown?": text("Why the result can't be made again."),
          }),
        ],
      },
    }),
  },
  "changes.list": {
    method: "GET",
    path: "/sessions/{session}/changes",
    scope: "read",
    summary:
      "What the calls of a session, of one turn or one call alone, did to files: one change for each path of each sandbox, with a diff.",
    input: object({
      session: sessionArgument,
      "call?": text("Only this call.", { maxLength: 128 }),
      "turn?": integer("Only the turn that the entry of this number is in.", { minimum: 1 }),
    }),
    answer: object({
      calls: integer("How many calls were looked at.", { minimum: 0 }),
      sandboxes: list(changesSchema),
      turns: list(
        object({
          turn: integer("The number of the entry that it begins with.", { minimum: 1 }),
          at_ms: time("When it began"),
          text: text("The beginning of what the person said."),
        }),
      ),
    }),
  },
  "calls.terminate": {
    method: "POST",
    path: "/sessions/{session}/calls/{call}/terminate",
    scope: "call",
    summary: "Ends a running call, as a person would: it answers with the output that it had.",
    input: object({ session: sessionArgument, call: callArgument }),
    answer: object({ terminated: { type: "boolean", description: "False when it had ended." } }),
  },
  "questions.list": {
    method: "GET",
    path: "/questions",
    scope: "approve",
    summary: "Lists what waits for a person, of all sessions, the oldest first.",
    input: object({}),
    answer: object({ questions: list(questionSchema) }),
  },
  "questions.watch": {
    method: "GET",
    path: "/questions/events",
    scope: "approve",
    summary:
      "Sends all questions that wait, and again when that changes. While it is open, calls wait for an answer given here. Events: questions, heartbeat.",
    input: object({}),
    answer: "events",
  },
  "questions.answer": {
    method: "POST",
    path: "/questions/{question}",
    scope: "approve",
    summary: "Answers a question. The first answer counts.",
    input: object({
      question: text("The id of the question.", { maxLength: 128 }),
      answer: {
        enum: ["approve", "always", "deny", "edit", "say"],
        description: "always: also what the same rule asks about this tool, in this session.",
      },
      "fingerprint?": text("Of an approval: what the question has.", { maxLength: 128 }),
      "reason?": text("Of deny: what the model is told.", { maxLength: 10_000 }),
      "input?": { type: "object", additionalProperties: anything },
      "text?": text("Of say: the answer to a question of the model.", { maxLength: 100_000 }),
    }),
    answer: object({
      counted: { type: "boolean", description: "False when somebody else was first." },
    }),
  },
  "grants.list": {
    method: "GET",
    path: "/sessions/{session}/grants",
    scope: "read",
    summary: "Lists what a person has allowed always in a session.",
    input: object({ session: sessionArgument }),
    answer: object({ grants: list(grantSchema) }),
  },
  "grants.withdraw": {
    method: "POST",
    path: "/sessions/{session}/grants/withdraw",
    scope: "own",
    summary: "Withdraws what was allowed always: the next such call asks again.",
    input: object({ session: sessionArgument, grant: grantSchema }),
    answer: object({ withdrawn: { type: "boolean" } }),
  },
})

export type SessionRoute = keyof typeof sessionRoutes
