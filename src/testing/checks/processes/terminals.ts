import { setTimeout as pause } from "node:timers/promises"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks, type Subject } from "../../measure/conformance-check.ts"
import { requireEqual, requireThat } from "../../measure/require.ts"
import { requireStopped, tickInto, whenExists } from "../../measure/running-work.ts"
import { openScreen } from "../../measure/terminal-screen.ts"

const terminalPromises = {
  tty: "a program in a terminal finds one, of the size that was asked for",
  typed: "what is typed is shown, and reaches the program line by line",
  resize: "a program gets SIGWINCH for a new size, and finds it",
  interrupt: "a program gets SIGINT when Ctrl-C is typed",
  "exit-code": "the exit code of the program is reported",
  unread: "a program whose output nobody reads waits, and loses nothing",
  close: "closing a terminal ends everything that was started in it",
}

export const terminals = defineChecks("terminal", terminalPromises, {
  async tty(subject) {
    const { whole } = await openScreen(subject, "test -t 0 -a -t 1 -a -t 2 && stty size; echo end")
    requireEqual("what it found", await whole, "24 80\r\nend\r\n")
    return "all three streams are a terminal of 24 rows and 80 columns"
  },
  async typed(subject) {
    const { terminal, shows, whole } = await openScreen(
      subject,
      'echo ready; read -r one; echo "<$one>"; read -r two; echo "<$two>"',
    )
    await shows("ready\r\n")
    await terminal.write("first\n")
    await shows("<first>\r\n")
    await terminal.write("secönd\n")
    const expected = "ready\r\nfirst\r\n<first>\r\nsecönd\r\n<secönd>\r\n"
    requireEqual("what was shown", await whole, expected)
    return "two lines, each answered before the next was typed"
  },
  async resize(subject) {
    const told = "trap 'echo told' WINCH; stty -echo; echo ready; read -r line; stty size"
    const { terminal, shows, whole } = await openScreen(subject, told)
    await shows("ready\r\n")
    await terminal.resize(132, 43)
    await terminal.write("\n")
    const shown = await whole
    requireThat(shown.endsWith("43 132\r\n"), `its size was ${shown.split("\r\n").at(-2)}`)
    requireThat(shown.includes("told\r\n"), "it was not told")
    return "from 24 rows and 80 columns to 43 and 132, with SIGWINCH"
  },
  async interrupt(subject) {
    const caught = `trap 'echo caught; exit 7' INT; echo ready; ${busy}; exit 1`
    const { terminal, shows } = await openScreen(subject, caught)
    await shows("ready\r\n")
    await terminal.write("\x03")
    await shows("caught\r\n")
    requireEqual("its end", await terminal.ended, { kind: "exited", exitCode: 7 })
    return "the program caught SIGINT and exited with 7"
  },
  async "exit-code"(subject) {
    const { terminal } = await openScreen(subject, "exit 42")
    requireEqual("its end", await terminal.ended, { kind: "exited", exitCode: 42 })
    return "42"
  },
  async unread(subject) {
    const { workspace, signal } = subject
    const command = `line=$(printf '%0999d' 0); for i in $(seq 1 ${lines}); do echo $line; echo x >> count; done`
    const terminal = await workspace.openTerminal({ command, columns: 80, rows: 24, signal })
    await whenExists(subject, "count")
    const written = await whenStill(subject, "count")
    requireThat(written < lines, `it wrote ${written} lines that nobody read`)
    let bytes = 0
    for await (const chunk of terminal.output) bytes += chunk.length
    // A terminal ends lines with two characters.
    requireEqual("the bytes that came in the end", bytes, lines * 1_001)
    return `it waited after ${written} of ${lines} lines, and all came when they were read`
  },
  async close(subject) {
    const { workspace } = subject
    const family = `setsid bash -c '${tickInto("session")}' & (trap '' HUP TERM; ${tickInto("stubborn")}) & ${tickInto("own")}`
    const { terminal } = await openScreen(subject, family)
    const files = ["own", "session", "stubborn"]
    for (const file of files) await whenExists(subject, file)
    await terminal.close()
    requireEqual("its end", await terminal.ended, { kind: "closed" })
    return requireStopped(workspace, ...files)
  },
})

/** Starts no program: bash itself can lose a SIGINT that comes while it starts one. */
const busy = "while ((SECONDS < 10)); do :; done"

const lines = 2_000

/** The size of a file that does not grow any more. */
async function whenStill({ workspace }: Subject, file: string): Promise<number> {
  for (let before = -1; ; ) {
    // Each line of it is two bytes.
    const lines = (await workspace.stat(file)).size / 2
    if (lines === before) return lines
    before = lines
    await pause(conformanceLimits.stillMs * 2)
  }
}
