import { describe, expect, it } from "vitest"
import { commandWarnings } from "./run-to-end.ts"

const silent = { exitCode: 0, stdout: "", stderr: "" }
const hiddenBy = (reason: string) => [
  `No output and exit code 0, but the command ${reason}, so a failure may be hidden. If output was expected, run its first part alone and keep its error messages.`,
]

describe("a command that printed nothing and succeeded", () => {
  it.each([
    ["cat log | grep error", "has a pipe"],
    ["cat log |& grep error", "has a pipe"],
    ["make 2>/dev/null", "throws error messages away"],
    ["make 2>> /dev/null", "throws error messages away"],
    ["make &>/dev/null", "throws error messages away"],
    ["make >/dev/null 2>&1", "throws error messages away"],
    ["make 2>&-", "throws error messages away"],
    ["make 2>/dev/null | sort", "has a pipe and throws error messages away"],
    ["echo 'it'\\''s' | cat", "has a pipe"],
    ["# a comment\ncat log | grep error", "has a pipe"],
    ["echo a#b | cat >/dev/null", "has a pipe"],
  ])("O32.pipe, O32.stderr, O33: %s warns that a failure may be hidden", (command, reason) => {
    expect(commandWarnings({ ...silent, command })).toEqual(hiddenBy(reason))
  })

  it.each([
    "true",
    "false || true",
    "echo 'a | b' > file",
    'grep "a|b" file > out',
    "touch a # then | nothing",
    "make >/dev/null",
    "echo a >| file",
    "echo \\| > file",
  ])("O32: %s has neither a pipe nor lost messages, so it warns of nothing", (command) => {
    expect(commandWarnings({ ...silent, command })).toEqual([])
  })
})

describe("a command with something to show", () => {
  it("O32: output or a failure needs no such warning", () => {
    const command = "cat log | grep error"
    expect(commandWarnings({ ...silent, command, stdout: "x" })).toEqual([])
    expect(commandWarnings({ ...silent, command, stderr: "x" })).toEqual([])
    expect(commandWarnings({ ...silent, command, exitCode: 1 })).toEqual([])
  })

  it("O31.sigpipe, O33: exit code 141 is explained as the harmless end of a pipe", () => {
    expect(
      commandWarnings({ command: "yes | head", exitCode: 141, stdout: "y", stderr: "" }),
    ).toEqual([
      "Exit code 141: a command in a pipe was still writing when its reader stopped (as in `... | head`). The output is usually what was wanted.",
    ])
  })

  it.each(["'\"\\", "'", '"', '"\\"', "#", "a\\", '"$(', "\n#", "|| ", "2>"])(
    "O32: a million characters of %j are read in little time",
    (part) => {
      const command = `${part.repeat(1_000_000 / part.length)} | cat "`
      const started = performance.now()
      commandWarnings({ ...silent, command })
      commandWarnings({ ...silent, command: `"${command}` })
      expect(performance.now() - started).toBeLessThan(60_000)
    },
  )
})
