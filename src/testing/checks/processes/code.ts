import type { Capabilities, CodeLanguage } from "../../../contract/index.ts"
import {
  defineChecks,
  type Measurement,
  type Subject,
  when,
} from "../../measure/conformance-check.ts"
import { requireEqual, requireFailure } from "../../measure/require.ts"
import { requireOnTime, startStopwatch } from "../../measure/stopwatch.ts"

/** The same small programs in one language. */
interface CodeSamples {
  /** Prints this text and a line break. */
  print(text: string): string
  exit(code: number): string
  /** Prints its input in capital letters. */
  readonly capitals: string
  readonly directory: string
  /** Prints the variable MARKED. */
  readonly variable: string
  readonly forever: string
}

const script: CodeSamples = {
  print: (text) => `console.log(${JSON.stringify(text)})`,
  exit: (code) => `process.exit(${code})`,
  capitals:
    'let text = ""; process.stdin.on("data", (data) => { text += data }).on("end", () => process.stdout.write(text.toUpperCase()))',
  directory: "console.log(process.cwd())",
  variable: "console.log(process.env.MARKED)",
  forever: "for (;;) {}",
}

const codeSamples: Readonly<Record<CodeLanguage, CodeSamples>> = {
  javascript: script,
  typescript: {
    ...script,
    print: (text) => `const text: string = ${JSON.stringify(text)}\nconsole.log(text as string)`,
  },
  python: {
    print: (text) => `print(${JSON.stringify(text)})`,
    exit: (code) => `import sys\nsys.exit(${code})`,
    capitals: "import sys\nsys.stdout.write(sys.stdin.read().upper())",
    directory: "import os\nprint(os.getcwd())",
    variable: "import os\nprint(os.environ['MARKED'])",
    forever: "while True:\n    pass",
  },
  bash: {
    print: (text) => `cat <<'END OF TEXT'\n${text}\nEND OF TEXT`,
    exit: (code) => `exit ${code}`,
    capitals: "tr a-z A-Z",
    directory: "pwd",
    variable: 'echo "$MARKED"',
    forever: "while :; do :; done",
  },
}

const languages = Object.keys(codeSamples) as CodeLanguage[]

function languagesOf(can: Capabilities): CodeLanguage[] {
  return languages.filter((language) => Object.hasOwn(can.languages, language))
}

type MeasureIn = (
  subject: Subject,
  language: CodeLanguage,
  samples: CodeSamples,
) => Promise<unknown>

/** A check that is made in every language the host lists. */
function inEach(measure: MeasureIn): Measurement {
  return when(
    (can) => languagesOf(can).length > 0,
    async (subject) => {
      const all = languagesOf(subject.can)
      for (const language of all) await measure(subject, language, codeSamples[language])
      return `measured in ${all.join(", ")}`
    },
  )
}

const timeoutMs = 1_000

/** Programs given as text. */
const codePromises = {
  prints: "a program in every listed language prints, whatever the text",
  "exit-code": "a program's exit code is reported",
  stdin: "a program reads its input to the end",
  directory: "a program runs in the directory it is given",
  environment: "a program sees the variables it is given",
  timeout: "a deadline ends a program that never ends",
  unlisted: "a language that the host does not list is refused with those it does",
  programs: "commands find every program that the host lists",
}

export const code = defineChecks("code", codePromises, {
  prints: inEach(async ({ workspace }, language, { print }) => {
    for (const text of ["hello", 'it\'s "quoted" $HOME `id` \\n %s', "日本語 🎉", "-n"]) {
      const { exitCode, stdout, stderr } = await workspace.runCode(language, print(text))
      const expected = { exitCode: 0, stdout: `${text}\n`, stderr: "" }
      requireEqual(`${language}`, { exitCode, stdout, stderr }, expected)
    }
  }),
  "exit-code": inEach(async ({ workspace }, language, { exit }) => {
    for (const code of [0, 1, 42]) {
      const { exitCode } = await workspace.runCode(language, exit(code))
      requireEqual(`${language}'s exit code`, exitCode, code)
    }
  }),
  stdin: inEach(async ({ workspace }, language, { capitals }) => {
    const { stdout } = await workspace.runCode(language, capitals, { stdin: "some\ninput" })
    requireEqual(`${language}'s output`, stdout, "SOME\nINPUT")
  }),
  directory: inEach(async ({ workspace, sandbox }, language, { directory }) => {
    await workspace.mkdir("some/place")
    const results = [
      await workspace.runCode(language, directory),
      await workspace.runCode(language, directory, { cwd: "some/place" }),
    ]
    const expected = [`${sandbox.home}\n`, `${sandbox.home}/some/place\n`]
    requireEqual(
      `${language}'s directories`,
      results.map(({ stdout }) => stdout),
      expected,
    )
  }),
  environment: inEach(async ({ workspace }, language, { variable }) => {
    const env = { MARKED: "with spaces and $signs" }
    const { stdout } = await workspace.runCode(language, variable, { env })
    requireEqual(`${language}'s variable`, stdout, `${env.MARKED}\n`)
  }),
  timeout: inEach(async ({ workspace }, language, { forever }) => {
    const elapsed = startStopwatch()
    const { exitCode, ending } = await workspace.runCode(language, forever, { timeoutMs })
    requireOnTime(elapsed(), timeoutMs)
    requireEqual(`${language}'s end`, [exitCode, ending.kind], [124, "timed-out"])
  }),
  async unlisted({ workspace, can }) {
    const listed = Object.keys(can.languages)
    const others = [...languages, "cobol" as CodeLanguage].filter((it) => !listed.includes(it))
    for (const language of others) {
      const refused = workspace.runCode(language, "")
      const { expected } = await requireFailure(language, refused, "invalid_args")
      requireEqual(`what is expected instead of ${language}`, expected, listed.join(", "))
    }
    return `${others.join(", ")} refused`
  },
  programs: when(
    ({ programs = [] }) => programs.length > 0,
    async ({ workspace, can: { programs = [] } }) => {
      for (const program of programs) {
        const { exitCode } = await workspace.exec(`command -v ${program}`)
        requireEqual(`the exit code of looking for ${program}`, exitCode, 0)
      }
      return `found ${programs.join(", ")}`
    },
  ),
})
