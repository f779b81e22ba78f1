import { type CallContext, type CodeLanguage, cutText } from "../../contract/index.ts"
import { commandLimits } from "../limits.ts"
import { type ProgramEnd, runToEnd, withPipefail } from "../process/run-to-end.ts"

export interface CodeRequest {
  readonly language: CodeLanguage
  readonly code: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeout_ms: number
}

export interface CodeResult extends ProgramEnd {
  readonly kind: "code"
  readonly language: CodeLanguage
  readonly text: string | null
  readonly error: string | null
}

export async function runCode(request: CodeRequest, context: CallContext): Promise<CodeResult> {
  const { language, code, ...rest } = request
  const isShell = language === "bash"
  const program = isShell ? withPipefail(code) : code
  const end = await runToEnd(
    {
      ...rest,
      command: isShell ? code : "",
      start: (workspace, options) => workspace.runCode(language, program, options),
    },
    context,
  )
  return { kind: "code" as const, language, text: null, error: errorOf(end, request), ...end }
}

/** A line that names an error, as the languages print it: "ValueError: ...", "Uncaught TypeError: ...". */
const namedError = /^(?:Uncaught )?[A-Za-z_$][\w$.]*(?:Error|Exception|Interrupt|Exit)\b/
/** What Node.js says last, whatever went wrong. */
const version = /^Node\.js v\d/

/** Why the program failed, in one line: its own, where it has one. */
function errorOf(end: ProgramEnd, request: CodeRequest): string | null {
  if (end.exit_code === 0) return null
  if (end.timed_out) return `It ran longer than ${request.timeout_ms} ms, its timeout.`
  if (end.killed_by) return "A person ended it."
  const lines = end.stderr.split("\n").filter((line) => line.trim() !== "" && !version.test(line))
  const own = lines.findLast((line) => namedError.test(line)) ?? lines.at(-1)
  const why = own?.trim() ?? `The program ended with exit code ${end.exit_code}.`
  return cutText(why, commandLimits.errorBytes).text
}
