import type { CodeLanguage } from "../../contract/index.ts"

/** The same small programs in one language. */
export interface CodeSamples {
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

export const codeSamples: Readonly<Record<CodeLanguage, CodeSamples>> = {
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
