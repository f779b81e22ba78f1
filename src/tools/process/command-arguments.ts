import { commandLimits } from "../limits.ts"
import { text } from "../schemas.ts"

/** What every tool that starts a program takes: where, with what variables, with what input. */
export const cwdArgument = text(
  'The directory to run in, such as "packages/web". Without it, the workspace\'s own. A cd is forgotten after the call.',
)

export const envArgument = {
  type: "object",
  patternProperties: { "^[A-Za-z_][A-Za-z0-9_]*$": { type: "string", minLength: 0 } },
  additionalProperties: false,
  description: 'Environment variables to add, such as {"CI": "1"}.',
} as const

export const stdinArgument = text(
  "Text for the program's standard input, which is empty by default.",
  { minLength: 0 },
)

export const commandArgument = text(
  'A command or a script for bash, such as "npm test 2>&1 | tail -n 40".',
  { maxLength: commandLimits.characters },
)
