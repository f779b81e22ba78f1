import { createInputCheck, type InferSchema, type JsonSchema } from "../../../contract/index.ts"
import { ConnectError } from "./connect-error.ts"

/** One method of a service: how messages go in and out, and who answers. */
export type Method<Context> =
  | {
      readonly kind: "unary"
      readonly answer: (message: unknown, context: Context) => Promise<unknown>
    }
  | {
      readonly kind: "server-stream"
      readonly answer: (message: unknown, context: Context) => AsyncIterable<unknown>
    }
  | {
      readonly kind: "client-stream"
      readonly answer: (messages: AsyncIterable<unknown>, context: Context) => Promise<unknown>
    }

export function unary<const Schema extends JsonSchema, Context>(
  schema: Schema,
  answer: (message: InferSchema<Schema>, context: Context) => Promise<unknown>,
): Method<Context> {
  const read = reader(schema)
  return { kind: "unary", answer: async (message, context) => answer(read(message), context) }
}

export function serverStream<const Schema extends JsonSchema, Context>(
  schema: Schema,
  answer: (message: InferSchema<Schema>, context: Context) => AsyncIterable<unknown>,
): Method<Context> {
  const read = reader(schema)
  return { kind: "server-stream", answer: (message, context) => answer(read(message), context) }
}

export function clientStream<const Schema extends JsonSchema, Context>(
  schema: Schema,
  answer: (messages: AsyncIterable<InferSchema<Schema>>, context: Context) => Promise<unknown>,
): Method<Context> {
  const read = reader(schema)
  async function* readAll(messages: AsyncIterable<unknown>) {
    for await (const message of messages) yield read(message)
  }
  return {
    kind: "client-stream",
    answer: (messages, context) => answer(readAll(messages), context),
  }
}

function reader<Schema extends JsonSchema>(
  schema: Schema,
): (message: unknown) => InferSchema<Schema> {
  const check = createInputCheck(schema)
  return (message) => {
    const checked = check(message)
    if (checked.ok) return checked.value as InferSchema<Schema>
    throw new ConnectError("invalid_argument", checked.failure.message)
  }
}
