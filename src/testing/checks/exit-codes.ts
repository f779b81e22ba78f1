import type { ConformanceCheck } from "../conformance-check.ts"
import { background, fileModes } from "../measure/needs.ts"
import { requireEqual } from "../measure/require.ts"

/** A check that a command ends by itself with this code. */
function exitCode(
  name: string,
  promise: string,
  { command, code }: { command: string; code: number },
): ConformanceCheck {
  return {
    id: `exit-codes.${name}`,
    promise,
    async run({ workspace }) {
      const result = await workspace.exec(command)
      const { exitCode, ending } = result
      requireEqual(
        `the end of \`${command}\``,
        { exitCode, ending },
        { exitCode: code, ending: { kind: "exited" } },
      )
      return `\`${command}\` gave ${exitCode}`
    },
  }
}

export const exitCodes: readonly ConformanceCheck[] = [
  exitCode("zero", "a command that ends well has exit code 0", { command: "true", code: 0 }),
  exitCode("number", "a command's own exit code is reported", { command: "exit 3", code: 3 }),
  exitCode("highest", "exit code 255 is reported as 255", { command: "exit 255", code: 255 }),
  exitCode("last", "the last command of a list decides the exit code", {
    command: "false; (exit 5)",
    code: 5,
  }),
  exitCode("missing-command", "a command that does not exist has exit code 127", {
    command: "no-such-command-anywhere --flag",
    code: 127,
  }),
  exitCode("own-124", "a command that itself exits with 124 has not timed out", {
    command: "exit 124",
    code: 124,
  }),
  exitCode("nested", "the exit code of a shell inside the shell is passed on", {
    command: "bash -c 'exit 7'",
    code: 7,
  }),
  {
    id: "exit-codes.not-executable",
    promise: "a file that may not be executed has exit code 126",
    needs: fileModes,
    async run({ workspace }) {
      await workspace.writeFile("plain.txt", "#!/bin/bash\necho ran\n", { mode: 0o644 })
      const { exitCode, stdout } = await workspace.exec("./plain.txt")
      requireEqual("the end of ./plain.txt", { exitCode, stdout }, { exitCode: 126, stdout: "" })
      return "./plain.txt with mode 644 gave 126"
    },
  },
  {
    ...exitCode(
      "killed",
      "a command killed by a signal has exit code 128 and the signal's number",
      {
        command: "kill -KILL $$",
        code: 137,
      },
    ),
    needs: background,
  },
  {
    ...exitCode("terminated", "a command ended by SIGTERM from inside has exit code 143", {
      command: "kill -TERM $$",
      code: 143,
    }),
    needs: background,
  },
  {
    id: "exit-codes.syntax-error",
    promise: "a command with a syntax error fails with a message on stderr and no other output",
    async run({ workspace }) {
      const { exitCode, stdout, stderr } = await workspace.exec("if then fi fi (")
      const measured = { failed: exitCode !== 0, stdout, explained: stderr !== "" }
      requireEqual("the end of a syntax error", measured, {
        failed: true,
        stdout: "",
        explained: true,
      })
      return `exit code ${exitCode} and ${stderr.length} characters on stderr`
    },
  },
]
