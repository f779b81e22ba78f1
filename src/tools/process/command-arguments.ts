import { text } from "../../contract/index.ts"
import { commandLimits } from "../limits.ts"

/** What every tool that starts a program takes: where, with what variables, with what input. */
export const cwdArgument = text(
  'Where to run, such as "packages/web". A cd is forgotten after the call.',
)

export const envArgument = {
  type: "object",
  patternProperties: { "^[A-Za-z_]\\w*$": { type: "string", minLength: 0 } },
  additionalProperties: false,
  description: 'Variables to add, such as {"CI": "1"}.',
} as const

export const stdinArgument = text('Standard input, such as "yes\\n"; empty by default.', {
  minLength: 0,
})

export const commandArgument = text("A command or a script.", {
  maxLength: commandLimits.characters,
})
