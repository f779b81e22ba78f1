import { expect, expectTypeOf, it } from "vitest"
import { z } from "zod"
import { defineTool, type Envelope } from "../../contract/index.ts"
import { openToolkeep } from "../index.ts"

const roll = defineTool({
  name: "dice.roll",
  description: 'Rolls dice, such as {"sides": 6}.',
  input: z.object({ sides: z.int().min(2), times: z.int().min(1).default(1) }),
  output: z.object({ eyes: z.array(z.int()) }),
  run: ({ sides, times }) => ({ eyes: Array.from({ length: times }, () => sides) }),
})
const echo = defineTool({
  name: "echo",
  description: 'Answers with the text, such as {"text": "a"}.',
  input: {
    type: "object",
    properties: { text: { type: "string" }, loud: { type: "boolean", default: false } },
    required: ["text"],
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: { said: { type: "string" }, loud: { type: "boolean" } },
    required: ["said", "loud"],
    additionalProperties: false,
  },
  run: ({ text, loud }) => ({ said: text, loud }),
})

const draw = defineTool({
  name: "cards.draw",
  description: "Draws two cards. Example: {}.",
  input: { type: "object", properties: {}, additionalProperties: false },
  output: z.object({ suit: z.enum(["hearts", "spades"]), cards: z.array(z.int()) }),
  run: async () => ({ suit: "hearts", cards: [7, 8] }),
})

it("F1, Y3: a call is typed by the schemas of built-in and own tools", async () => {
  await using keep = await openToolkeep({ host: "memory", tools: [roll, echo, draw] })
  const session = keep.session()

  const written = await session.call("file.write", { path: "a", content: "b" })
  expectTypeOf(written).toExtend<
    Envelope<{ readonly kind: "write"; readonly path: string; readonly created: boolean }>
  >()
  expect(written).toMatchObject({ ok: true, result: { kind: "write", created: true } })

  const rolled = await session.call("dice.roll", { sides: 6 })
  expectTypeOf(rolled).toEqualTypeOf<Envelope<{ eyes: number[] }>>()
  expect(rolled).toMatchObject({ ok: true, result: { eyes: [6] } })

  const said = await session.call("echo", { text: "a" })
  expectTypeOf(said).toEqualTypeOf<Envelope<{ readonly said: string; readonly loud: boolean }>>()
  expect(said).toMatchObject({ ok: true, result: { said: "a", loud: false } })

  const drawn = await session.call("cards.draw")
  expectTypeOf(drawn).toEqualTypeOf<Envelope<{ suit: "hearts" | "spades"; cards: number[] }>>()

  const info = await session.call("system.info")
  expectTypeOf(info).toExtend<Envelope<{ readonly kind: "system"; readonly host: string }>>()

  const wrong = async () => {
    // @ts-expect-error: there is no such tool
    await session.call("file.raed", { path: "a" })
    // @ts-expect-error: a misspelt argument
    await session.call("file.read", { pth: "a" })
    // @ts-expect-error: an argument of the wrong type
    await session.call("file.read", { path: 3 })
    // @ts-expect-error: a required argument is missing
    await session.call("echo", {})
    // @ts-expect-error: input that can't be empty can't be left out
    await session.call("dice.roll")
  }
  expectTypeOf(wrong).toBeFunction()

  const bridged = () => session.call("mcp:server:tool", { anything: 1 })
  expectTypeOf(bridged).returns.resolves.toEqualTypeOf<Envelope<unknown>>()
})
