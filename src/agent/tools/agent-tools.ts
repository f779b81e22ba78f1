import {
  closeObjects,
  defineTool,
  type JsonSchema,
  object,
  type Tool,
  ToolFailure,
  text,
} from "../../contract/index.ts"
import { findCall, type Session } from "../../session/index.ts"
import type { Person } from "../person.ts"

const todoItem = object({
  text: text('What to do, such as "write the tests".'),
  status: {
    enum: ["open", "doing", "done"],
    default: "open",
    description: 'How far it is, such as "done".',
  },
})

/** The plan of the run, which the person sees. Each call gives the whole list. */
export const todoTool = defineTool({
  name: "todo",
  description:
    "Shows the person your plan. Give the whole list each time, with what is done marked; use it for work of several steps.",
  effects: ["read"],
  input: object({
    items: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: todoItem,
      description: "The whole list, in order.",
    },
  }),
  output: object({
    items: { type: "array", items: todoItem },
    done: { type: "integer", description: "How many are done." },
    count: { type: "integer" },
  }),
  run({ items }) {
    const done = items.filter(({ status }) => status === "done").length
    return { items, done, count: items.length }
  },
  show: ({ items }) => items.map(({ text: what, status }) => `${marks[status]} ${what}`).join("\n"),
})

const marks = { open: "[ ]", doing: "[~]", done: "[x]" } as const

/** Ends the run. With a schema, `result` has to satisfy it. */
export function completeTool(schema?: unknown): Tool {
  const summary = text("What you did and what the person should know, in a few sentences.")
  return defineTool({
    name: "complete",
    description: schema
      ? "Ends your work. Give the value that was asked for in `result`, and a summary."
      : "Ends your work. Call it when everything that was asked for is done, with a summary.",
    effects: ["read"],
    input: schema
      ? closeObjects(object({ summary, result: schema as JsonSchema }))
      : object({ summary }),
    run: (input) => input,
    show: (input) => (input as { summary: string }).summary,
  })
}

/** Asks the person, and waits for the answer. */
export function clarifyTool(person: () => Person): Tool {
  return defineTool({
    name: "clarify",
    description:
      "Asks the person a question and waits for the answer. Only for what you can't find out or decide yourself.",
    effects: ["read"],
    timeoutMs: null,
    input: object({
      question: text('The question, such as "Which of the two databases is in use?"'),
      "options?": {
        type: "array",
        maxItems: 10,
        items: { type: "string" },
        description: 'Answers to choose from, such as ["MySQL", "PostgreSQL"].',
      },
    }),
    output: object({ answer: text("What the person says.", { minLength: 0 }) }),
    async run({ question, options = [] }, { callId, signal }) {
      return { answer: await person().clarify(callId, { question, options }, signal) }
    },
    show: ({ answer }) => answer,
  })
}

/** What a call answered, whose result was shortened in the conversation since. */
export function resultTool(session: () => Session): Tool {
  return defineTool({
    name: "result.read",
    description:
      "Shows the answer of an earlier call again, where the conversation only shows its beginning.",
    effects: ["read"],
    input: object({ call: text('The id that the shortened answer names, such as "call_abc".') }),
    output: object({
      text: text("The answer.", { minLength: 0 }),
      "is_error?": { type: "boolean", description: "Whether it was a failure." },
    }),
    async run({ call }) {
      const current = session()
      const envelope = await findEnvelope(current, call)
      if (envelope) {
        return envelope.ok
          ? { text: current.show(envelope) }
          : { text: envelope.message, is_error: true }
      }
      throw new ToolFailure({
        kind: "not_found",
        message: `No call ${JSON.stringify(call)} has an answer in this session.`,
        field: "call",
      })
    },
    show: ({ text: answer }) => answer,
  })
}

async function findEnvelope(session: Session, call: string) {
  const record = await session.record?.()
  const found = record && (await findCall(record, call))
  return found?.end?.envelope ?? null
}
