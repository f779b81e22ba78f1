import { integer, object, text } from "../contract/index.ts"
import { defineRoutes } from "./route.ts"
import { anything, list, nullableText } from "./schemas.ts"

const patternArgument = text("The pattern, as its address names it.", { maxLength: 128 })

/** An error in a pattern's code, with its place. */
const problemSchema = object({
  message: text("What is wrong."),
  "file?": text("The file."),
  "line?": integer("The line in it, from 1.", { minimum: 1 }),
  "column?": integer("The column, from 1.", { minimum: 1 }),
  "frame?": text("The lines around it, with their numbers."),
})

/** The pages of patterns that `toolkeep dev` runs. */
export const patternRoutes = defineRoutes({
  "patterns.list": {
    method: "GET",
    path: "/patterns",
    scope: "read",
    summary: "The patterns that run here, with the address of each one's page: /p/{pattern}.",
    input: object({}),
    answer: object({
      patterns: list(
        object({
          pattern: text("Its name in addresses."),
          name: text("What it calls itself."),
          file: text("Where it is written."),
          session: text("The session that its steps are calls of."),
          problem: nullableText("Why it could not be loaded as it is written now."),
        }),
      ),
    }),
  },
  "patterns.watch": {
    method: "GET",
    path: "/patterns/{pattern}/events",
    scope: "read",
    summary:
      "The page of a pattern as data (page), and then what changes together (change), by number. Continued after Last-Event-ID.",
    input: object({ pattern: patternArgument }),
    answer: "events",
  },
  "patterns.send": {
    method: "POST",
    path: "/patterns/{pattern}/events",
    scope: "own",
    summary: "Sends an event to a handler of the page, and waits for its end.",
    input: object({
      pattern: patternArgument,
      handler: text("Its number, as the page has it.", { maxLength: 64 }),
      "event?": anything,
      "page?": text("A name that the sender has given itself: its events begin in their order.", {
        maxLength: 64,
      }),
      "number?": integer("Which event of that page it is, from 1.", { minimum: 1 }),
      "after?": integer("The event of that page before it, where that has no answer yet.", {
        minimum: 1,
      }),
    }),
    answer: object({
      problem: {
        ...problemSchema,
        type: ["object", "null"],
        description: "What the handler threw, or why there is none; null where it ended well.",
      },
      last: integer("Once a page has this message, it shows what the event did.", { minimum: 0 }),
    }),
  },
})

export type PatternRoute = keyof typeof patternRoutes
