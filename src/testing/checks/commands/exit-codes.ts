import { defineChecks, type Measure, when } from "../../measure/define-checks.ts"
import { requireEqual } from "../../measure/require.ts"

/** A check that a command ends by itself with this code. */
function exitCode({ command, code }: { command: string; code: number }): Measure {
  return async ({ workspace }) => {
    const result = await workspace.exec(command)
    const { exitCode, ending } = result
    requireEqual(
      `the end of \`${command}\``,
      { exitCode, ending },
      { exitCode: code, ending: { kind: "exited" } },
    )
    return `\`${command}\` gave ${exitCode}`
  }
}

const exitCodesPromises = {
  zero: "a command that ends well has exit code 0",
  number: "a command's own exit code is reported",
  highest: "exit code 255 is reported as 255",
  last: "the last command of a list decides the exit code",
  "missing-command": "a command that does not exist has exit code 127",
  "own-124": "a command that itself exits with 124 has not timed out",
  nested: "the exit code of a shell inside the shell is passed on",
  "not-executable": "a file that may not be executed has exit code 126",
  killed: "a command killed by a signal has exit code 128 and the signal's number",
  terminated: "a command ended by SIGTERM from inside has exit code 143",
  "syntax-error":
    "a command with a syntax error fails with a message on stderr and no other output",
}

export const exitCodes = defineChecks("exit-codes", exitCodesPromises, {
  zero: exitCode({ command: "true", code: 0 }),
  number: exitCode({ command: "exit 3", code: 3 }),
  highest: exitCode({ command: "exit 255", code: 255 }),
  last: exitCode({
    command: "false; (exit 5)",
    code: 5,
  }),
  "missing-command": exitCode({ command: "no-such-command-anywhere --flag", code: 127 }),
  "own-124": exitCode({ command: "exit 124", code: 124 }),
  nested: exitCode({ command: "bash -c 'exit 7'", code: 7 }),
  "not-executable": when("fileModes", async ({ workspace }) => {
    await workspace.writeFile("plain.txt", "#!/bin/bash\necho ran\n", { mode: 0o644 })
    const { exitCode, stdout } = await workspace.exec("./plain.txt")
    requireEqual("the end of ./plain.txt", { exitCode, stdout }, { exitCode: 126, stdout: "" })
    return "./plain.txt with mode 644 gave 126"
  }),
  killed: when("background", exitCode({ command: "kill -KILL $$", code: 137 })),
  terminated: when("background", exitCode({ command: "kill -TERM $$", code: 143 })),
  async "syntax-error"({ workspace }) {
    const { exitCode, stdout, stderr } = await workspace.exec("if then fi fi (")
    const measured = { failed: exitCode !== 0, stdout, explained: stderr !== "" }
    requireEqual("the end of a syntax error", measured, {
      failed: true,
      stdout: "",
      explained: true,
    })
    return `exit code ${exitCode} and ${stderr.length} characters on stderr`
  },
})
