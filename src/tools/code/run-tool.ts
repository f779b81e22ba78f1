import {
  type CallLimits,
  type Capabilities,
  type CodeLanguage,
  cutText,
  defineTool,
  integer,
  object,
  text,
} from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { commandLimits } from "../limits.ts"
import { cwdArgument, envArgument, stdinArgument } from "../process/command-arguments.ts"
import {
  endFields,
  type ProgramEnd,
  runToEnd,
  showEnd,
  streamBytesOf,
  withPipefail,
} from "../process/run-to-end.ts"

/** The tool for programs given as text, where there is a language that it can be in. */
export function codeTools(can: Capabilities, held: CallLimits) {
  const [first, ...others] = Object.keys(can.languages) as CodeLanguage[]
  return first === undefined ? [] : [runTool([first, ...others], streamBytesOf(held))]
}

const examples: Readonly<Record<CodeLanguage, string>> = {
  javascript: "console.log(6 * 7)",
  typescript: "console.log(6 * 7)",
  python: "print(6 * 7)",
  bash: "echo $((6 * 7))",
}

/** code.run: a program given as text, in one of the languages that the sandbox has. */
function runTool(languages: readonly [CodeLanguage, ...CodeLanguage[]], streamBytes: number) {
  const [first] = languages
  const example = JSON.stringify({ language: first, code: examples[first] })
  return defineTool({
    name: "code.run",
    title: "Run code",
    description:
      "Runs a program given as text and waits for it. Only what it prints comes back. " +
      `Between calls only files are kept. Example: ${example}.`,
    input: object({
      language: {
        type: "string",
        enum: languages,
        description: "Of the code.",
      },
      code: text("The whole program; if larger, write a file and run that.", {
        maxLength: commandLimits.codeCharacters,
      }),
      "cwd?": cwdArgument,
      "env?": envArgument,
      "stdin?": stdinArgument,
      timeout_ms: integer("End it after this many milliseconds, such as 300000.", {
        minimum: 1,
        maximum: commandLimits.timeoutMsMost,
        default: commandLimits.codeMs,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "code" },
      language: { enum: languages },
      text: {
        type: ["string", "null"],
        description: "The value of the program, where its language has one; null otherwise.",
      },
      error: { type: ["string", "null"] },
      ...endFields,
    }),
    groups: ["runtime"],
    effects: ["execute"],
    pathArguments: ["cwd"],
    timeoutMs: null,
    sandbox: namedSandbox,
    async run({ language, code, ...rest }, context) {
      const isShell = language === "bash"
      const program = isShell ? withPipefail(code) : code
      const end = await runToEnd(
        {
          ...rest,
          streamBytes,
          command: isShell ? code : "",
          start: (workspace, options) => workspace.runCode(language, program, options),
        },
        context,
      )
      return { kind: "code", language, text: null, error: errorOf(end, rest.timeout_ms), ...end }
    },
    show: (result, view) => showEnd(result, view, streamBytes),
  })
}

/** A line that names an error, as the languages print it: "ValueError: ...", "Uncaught TypeError: ...". */
const namedError = /^(?:Uncaught )?[A-Za-z_$][\w$.]*(?:Error|Exception|Interrupt|Exit)\b/
/** What Node.js says last, whatever went wrong. */
const version = /^Node\.js v\d/

/** Why the program failed, in one line: its own, where it has one. */
function errorOf(end: ProgramEnd, timeoutMs: number): string | null {
  if (end.exit_code === 0) return null
  if (end.timed_out) return `It ran longer than ${timeoutMs} ms, its timeout.`
  if (end.killed_by) return "A person ended it."
  const lines = end.stderr.split("\n").filter((line) => line.trim() !== "" && !version.test(line))
  const own = lines.findLast((line) => namedError.test(line)) ?? lines.at(-1)
  const why = own?.trim() ?? `The program ended with exit code ${end.exit_code}.`
  return cutText(why, commandLimits.errorBytes).text
}
