import { type CodeLanguage, defineTool } from "../../contract/index.ts"
import { commandLimits } from "../limits.ts"
import { cwdArgument, envArgument, stdinArgument } from "../process/command-arguments.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { integer, object, text } from "../schemas.ts"
import { endFields, endRequired, showEnd } from "../shell/command-schema.ts"

const examples: Readonly<Record<CodeLanguage, string>> = {
  javascript: "console.log(6 * 7)",
  typescript: "console.log(6 * 7)",
  python: "print(6 * 7)",
  bash: "echo $((6 * 7))",
}

/** code.run: a program given as text, in one of the languages that the sandbox has. */
export function runTool(languages: readonly [CodeLanguage, ...CodeLanguage[]]) {
  const [first] = languages
  const example = JSON.stringify({ language: first, code: examples[first] })
  return defineTool({
    name: "code.run",
    title: "Run code",
    description:
      "Runs a program given as text and waits for it. Only what it prints comes back, in stdout and stderr; error says in one line " +
      `why it failed and is null when it did not. Nothing but files is kept between two calls. Example: ${example}.`,
    input: object({
      language: {
        type: "string",
        enum: languages,
        description: `What the code is written in, such as ${JSON.stringify(first)}.`,
      },
      code: text(
        `The whole program, such as ${JSON.stringify(examples[first])}. For more than ${commandLimits.codeCharacters} bytes, write a file and run that.`,
        { maxLength: commandLimits.codeCharacters },
      ),
      "cwd?": cwdArgument,
      "env?": envArgument,
      "stdin?": stdinArgument,
      timeout_ms: integer("End the program after this many milliseconds, such as 300000.", {
        minimum: 1,
        maximum: commandLimits.timeoutMsMost,
        default: commandLimits.codeMs,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: {
      type: "object",
      properties: {
        kind: { const: "code" },
        language: { enum: languages },
        text: {
          type: ["string", "null"],
          description: "The value of the program, where its language has one; null otherwise.",
        },
        error: { type: ["string", "null"] },
        ...endFields,
      },
      required: ["kind", "language", "text", "error", ...endRequired],
      additionalProperties: false,
    },
    groups: ["runtime"],
    effects: ["execute"],
    pathArguments: ["cwd"],
    timeoutMs: null,
    sandbox: namedSandbox,
    async run(input, context) {
      const { runCode } = await import("./run-code.ts")
      return runCode(input, context)
    },
    show: showEnd,
  })
}
