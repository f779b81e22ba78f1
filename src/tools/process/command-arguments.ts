import { limits } from "../../contract/index.ts"

/** What every tool that starts a program takes: where, with what variables, with what input. */
export const cwdArgument = {
  type: "string",
  minLength: 1,
  description:
    'The directory to run in, such as "packages/web". Without it, the workspace\'s own. A cd is forgotten after the call.',
} as const

export const envArgument = {
  type: "object",
  patternProperties: { "^[A-Za-z_][A-Za-z0-9_]*$": { type: "string", minLength: 0 } },
  additionalProperties: false,
  description: 'Environment variables to add, such as {"CI": "1"}.',
} as const

export const stdinArgument = {
  type: "string",
  minLength: 0,
  description: "Text for the program's standard input. Without it, there is none.",
} as const

export const commandArgument = {
  type: "string",
  minLength: 1,
  maxLength: limits.command.characters,
  description: 'A command or a script for bash, such as "npm test 2>&1 | tail -n 40".',
} as const
