import { defineChecks, type Measure, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireThat } from "../../measure/require.ts"

const awkward = [
  ...[
    "two words",
    "",
    "$HOME",
    "`id`",
    "$(id)",
    "it's",
    '"quoted"',
    "a\\b",
    "line\nbreak",
    "*",
    "~",
  ],
  ...[
    "-n",
    "--",
    "a;b",
    "a&&b",
    "a|b",
    "> file",
    "#no comment",
    "{a,b}",
    "!!",
    "naïve 日本 🎉",
    "\t ",
  ],
]

const commandsPromises = {
  bash: "a command given as text is read by bash",
  lines: "a command may have many lines, with functions and here-documents",
  "leading-dash": "a command that begins with a dash is a command, not an option of the shell",
  long: "a command of 300,000 characters runs whole",
  nul: "a command with a NUL character is refused, never cut there",
  "list-unread": "the words of a command given as a list reach it as they are, unread by any shell",
  "list-long": "a command given as a list may have 2,000 words",
  "list-missing": "a program of a list that does not exist has exit code 127 and says so on stderr",
  "list-options":
    "a command given as a list gets its directory, variables and input like any other",
  script: "a script that was written with permission to execute runs",
}

export const commands = defineChecks("commands", commandsPromises, {
  async bash({ workspace }) {
    const script = `list=(a b c); [[ \${list[2]} == c ]] && echo "\${#list[@]} \${list[1]^^}"`
    const { stdout, stderr } = await workspace.exec(script)
    requireEqual("the streams", { stdout, stderr }, { stdout: "3 B\n", stderr: "" })
    return "arrays, [[ and an expansion to upper case worked"
  },
  async lines({ workspace }) {
    const script =
      "greet() {\n  echo \"hello $1\"\n}\ngreet you\n\ncat <<'END'\n  $kept as it is\nEND\n# end"
    const { stdout } = await workspace.exec(script)
    requireEqual("stdout", stdout, "hello you\n  $kept as it is\n")
    return "a function and a here-document in 8 lines"
  },
  async "leading-dash"({ workspace }) {
    const { exitCode, stdout } = await workspace.exec("-c 'echo an option'")
    requireEqual("the end", { exitCode, stdout }, { exitCode: 127, stdout: "" })
    return "`-c 'echo …'` was not found, as a command"
  },
  async long({ workspace }) {
    const count = 1_000
    const line = `echo ${"x".repeat(290)} >> long.txt\n`
    const { exitCode } = await workspace.exec(`${line.repeat(count)}exit 11`)
    const { size } = await workspace.stat("long.txt")
    requireEqual("the end", { exitCode, size }, { exitCode: 11, size: 291 * count })
    return `${count} lines of ${line.length} characters, each ran once`
  },
  async nul({ workspace }) {
    const [outcome] = await Promise.allSettled([workspace.exec("printf cut; : '\0'; printf whole")])
    if (outcome.status === "rejected") return `refused: ${String(outcome.reason)}`
    requireEqual("what it wrote", outcome.value.stdout, "cutwhole")
    return "it ran whole"
  },
  "list-unread": when("argumentLists", async ({ workspace }) => {
    const { stdout, exitCode } = await workspace.exec(["printf", "[%s]\\n", ...awkward])
    const expected = awkward.map((word) => `[${word}]\n`).join("")
    requireEqual("the end", { stdout, exitCode }, { stdout: expected, exitCode: 0 })
    return `${awkward.length} words with spaces, quotes, line breaks, wildcards and dashes`
  }),
  "list-long": when("argumentLists", async ({ workspace }) => {
    const words = Array.from({ length: 2_000 }, (_, index) => `word ${index}`)
    const { stdout } = await workspace.exec(["printf", "%s,", ...words])
    requireThat(stdout === `${words.join(",")},`, `got ${stdout.length} characters that differ`)
    return `printf wrote all ${words.length} words`
  }),
  "list-missing": when("argumentLists", async ({ workspace }) => {
    const { exitCode, stdout, stderr } = await workspace.exec(["no-such-program", "--flag"])
    const measured = { exitCode, stdout, named: stderr.includes("no-such-program") }
    requireEqual("the end", measured, { exitCode: 127, stdout: "", named: true })
    return "exit code 127, and stderr names the program"
  }),
  "list-options": when("argumentLists", async ({ workspace }) => {
    await workspace.writeFile("sub/mark.txt", "mark")
    const { stdout } = await workspace.exec(["bash", "-c", 'cat mark.txt -; echo "$GIVEN"'], {
      cwd: "sub",
      env: { GIVEN: "given" },
      stdin: "input",
    })
    requireEqual("stdout", stdout, "markinputgiven\n")
    return "cwd, env and stdin reached it"
  }),
  script: when("fileModes", async ({ workspace }) => {
    const script = '#!/bin/bash\necho "ran with $1"\nexit 12\n'
    await workspace.writeFile("tools/script", script, { mode: 0o755 })
    const { exitCode, stdout } = await workspace.exec("tools/script 'an argument'")
    requireEqual(
      "the end",
      { exitCode, stdout },
      { exitCode: 12, stdout: "ran with an argument\n" },
    )
    return "a script with mode 755 ran with its argument"
  }),
})

/** A check that a command ends by itself with this code. */
function exitCode(command: string, code: number): Measure {
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
  zero: exitCode("true", 0),
  number: exitCode("exit 3", 3),
  highest: exitCode("exit 255", 255),
  last: exitCode("false; (exit 5)", 5),
  "missing-command": exitCode("no-such-command-anywhere --flag", 127),
  "own-124": exitCode("exit 124", 124),
  nested: exitCode("bash -c 'exit 7'", 7),
  "not-executable": when("fileModes", async ({ workspace }) => {
    await workspace.writeFile("plain.txt", "#!/bin/bash\necho ran\n", { mode: 0o644 })
    const { exitCode, stdout } = await workspace.exec("./plain.txt")
    requireEqual("the end of ./plain.txt", { exitCode, stdout }, { exitCode: 126, stdout: "" })
    return "./plain.txt with mode 644 gave 126"
  }),
  killed: when("background", exitCode("kill -KILL $$", 137)),
  terminated: when("background", exitCode("kill -TERM $$", 143)),
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
