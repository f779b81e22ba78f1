import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { callCli, runCli, startCli } from "./run-cli.ts"

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-cli-"))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const local = (...args: string[]) => callCli([...args, "--host", "local", "--cwd", directory])

describe("toolkeep call", () => {
  it("O1, O2, F15: prints the envelope of a sandboxed command and exits 0", async () => {
    const { exitCode, envelope } = await callCli(["shell.exec", '{"command":"echo hi; exit 3"}'])
    expect(exitCode).toBe(0)
    expect(envelope).toMatchObject({
      ok: true,
      tool: "shell.exec",
      result: { kind: "command", stdout: "hi\n", stderr: "", exit_code: 3, cwd: "/home/user" },
    })
  })

  it("C10: a failure is an envelope too, and exits 1", async () => {
    const { exitCode, envelope } = await callCli(["file.read", '{"path":"nowhere.md"}'])
    expect(exitCode).toBe(1)
    expect(envelope).toMatchObject({ ok: false, kind: "not_found", tool: "file.read" })
  })

  it("O17: reads the arguments from standard input with -", async () => {
    const stdin = '{"command":"cat","stdin":"from far away"}'
    const { envelope } = await callCli(["shell.exec", "-"], { stdin })
    expect(envelope).toMatchObject({ result: { stdout: "from far away" } })
  })

  it("R12.local: works in a directory of this machine when asked to", async () => {
    await local("file.write", '{"path":"a/b.txt","content":"on disk"}')
    expect(await readFile(join(directory, "a/b.txt"), "utf8")).toBe("on disk")
    const { envelope } = await local("shell.exec", '{"command":"pwd; cat a/b.txt"}')
    expect(envelope).toMatchObject({ result: { stdout: `${directory}\non disk` } })
  })

  it("C1: other sandboxes of the local host are directories under TOOLKEEP_HOME", async () => {
    const options = { home: directory }
    const named = ["--host", "local", "--sandbox", "build"]
    await callCli(["file.write", '{"path":"a.txt","content":"x"}', ...named], options)
    expect(await readFile(join(directory, "local/build/a.txt"), "utf8")).toBe("x")
  })

  it("F11: --cwd is where paths start in a virtual sandbox, and must be there", async () => {
    const { envelope } = await callCli(["shell.exec", '{"command":"pwd"}', "--cwd", "/tmp"])
    expect(envelope).toMatchObject({ result: { stdout: "/tmp\n" } })
    const missing = await callCli(["shell.exec", '{"command":"pwd"}', "--cwd", "nope"])
    expect(missing).toMatchObject({ exitCode: 1, envelope: { kind: "not_found" } })
  })

  it("F9, Y12: --timeout ends the call as a timeout; timeout_ms ends the command with exit 124", async () => {
    const busy = '{"command":"while true; do :; done"}'
    const cut = await callCli(["shell.exec", busy, "--timeout", "300"])
    expect(cut).toMatchObject({ exitCode: 1, envelope: { kind: "timeout", retryable: true } })
    const own = '{"command":"while true; do :; done","timeout_ms":300}'
    const ended = await callCli(["shell.exec", own])
    expect(ended).toMatchObject({ exitCode: 0, envelope: { result: { exit_code: 124 } } })
  })

  it("O25, O29: Ctrl-C ends the work inside too, and the answer has what was printed", async () => {
    const marker = `sleep ${3_000_000 + process.pid}`
    const args = ["call", "shell.exec", JSON.stringify({ command: `echo started; ${marker}` })]
    const { child, done } = startCli([...args, "--host", "local", "--cwd", directory])
    await untilRunning(marker)
    child.kill("SIGINT")
    const { exitCode, stdout } = await done
    expect(exitCode).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      result: { stdout: "started\n", killed_by: "user" },
    })
    expect(processesWith(marker)).toEqual([])
  })
})

describe("toolkeep call --batch", () => {
  it("O1: answers every line by one line, in order, in one pool", async () => {
    const lines = [
      '{"id":1,"tool":"file.write","input":{"path":"a.txt","content":"kept"}}',
      '{"id":"two","tool":"file.read","input":{"path":"a.txt"}}',
      '{"tool":"shell.exec","input":"{\\"command\\":\\"cat a.txt\\"}"}',
      "",
      "{not json",
      "[1]",
      '{"id":5,"tool":"no.such","input":{}}',
      '{"id":6,"input":{}}',
      '{"id":7,"tool":"system.info","inptu":{}}',
      '{"id":{"deep":[8]},"tool":"system.info"}',
    ]
    const { exitCode, stdout } = await runCli(["call", "--batch"], { stdin: lines.join("\n") })
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(exitCode).toBe(1)
    expect(answers.map(({ id }) => id)).toEqual([
      1,
      "two",
      null,
      null,
      null,
      5,
      6,
      7,
      { deep: [8] },
    ])
    const kinds = answers.map(({ envelope }) => (envelope.ok ? "ok" : envelope.kind))
    const bad = "invalid_args"
    expect(kinds).toEqual(["ok", "ok", "ok", bad, bad, "tool_not_found", bad, bad, "ok"])
    expect(answers[1].envelope.result.text).toBe("kept")
    expect(answers[2].envelope.result.stdout).toBe("kept")
  })

  it("answers while its input is still open, so that another program can talk to it", async () => {
    const { child, done } = startCli(["call", "--batch"], {
      stdin: '{"id":1,"tool":"system.info"}\n',
    })
    const { exitCode, stdout } = await done
    expect(exitCode).toBe(0)
    expect(stdout.split("\n")).toHaveLength(2)
    expect(child.exitCode).toBe(0)
  })
})

describe("what is wrong on the command line", () => {
  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["an unknown command", ["cal"], /there is no command "cal"; did you mean "call"\?/],
    [
      "an unknown flag",
      ["call", "system.info", "--hots", "x"],
      /has no flag --hots; did you mean --host\?/,
    ],
    [
      "an unknown host",
      ["call", "system.info", "--host", "memroy"],
      /no host "memroy"; did you mean "memory"\?/,
    ],
    ["a flag without its value", ["call", "system.info", "--host"], /--host needs a value/],
    ["a switch with a value", ["call", "system.info", "--json=yes"], /--json takes no value/],
    [
      "a malformed sandbox",
      ["call", "system.info", "--sandbox", "../x"],
      /"..\/x" can't name a sandbox/,
    ],
    [
      "a bad timeout",
      ["call", "system.info", "--timeout", "soon"],
      /positive number of milliseconds/,
    ],
    ["no tool", ["call"], /no tool given/],
    ["a tool beside --batch", ["call", "system.info", "--batch"], /--batch reads the tools/],
    ["too much", ["call", "a", "{}", "b"], /too many arguments/],
    [
      "a missing configuration",
      ["call", "system.info", "--config", "nope.yaml"],
      /nope\.yaml can't be read \(there is no such file\)/,
    ],
    [
      "an unknown profile",
      ["call", "system.info", "--profile", "codign"],
      /did you mean "coding"\?/,
    ],
    [
      "an unknown format",
      ["tools", "--format", "xml"],
      /--format must be one of anthropic, openai, openai-responses, gemini, mcp/,
    ],
    [
      "an unknown tool to explain",
      ["policy", "explain", "file.raed"],
      /did you mean "file\.read"\?/,
    ],
    [
      "a directory that is not there",
      ["call", "system.info", "--host", "local", "--cwd", "/no/such"],
      /not a directory on this machine/,
    ],
  ]

  it.each(wrong)("%s is said in one paragraph, with exit code 2", async (_what, args, says) => {
    const before = await readdir(directory)
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: directory, home: directory })
    expect(stderr).toMatch(says)
    expect(stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(stdout).toBe("")
    expect(exitCode).toBe(2)
    expect(await readdir(directory)).toEqual(before)
  })

  it("Y9: a mistake in toolkeep.yaml names its line", async () => {
    const file = join(directory, "toolkeep.yaml")
    await writeFile(file, "tools:\n  policy: full\n  profils: {}\n")
    const { exitCode, stderr } = await runCli(["call", "system.info"], { cwd: directory })
    expect(stderr).toContain("toolkeep.yaml, line 3:")
    expect(exitCode).toBe(2)
    await rm(file)
    await mkdir(file)
    const unreadable = await runCli(["tools"], { cwd: directory })
    expect(unreadable).toMatchObject({ exitCode: 2, stdout: "" })
    expect(unreadable.stderr).toContain("it is a directory")
  })
})

describe("what is wrong in a call", () => {
  const wrong: readonly (readonly [string, string, string, object])[] = [
    ["malformed JSON", "file.read", "{bad", { kind: "invalid_args" }],
    ["JSON that is no object", "file.read", "[1]", { kind: "invalid_args" }],
    ["an unknown tool", "file.raed", "{}", { kind: "tool_not_found" }],
    [
      "a path outside",
      "file.read",
      '{"path":"/etc/passwd"}',
      { kind: "invalid_args", field: "path" },
    ],
    [
      "a path that climbs out",
      "file.write",
      '{"path":"../../x","content":"x"}',
      { kind: "invalid_args", field: "path" },
    ],
    [
      "a NUL in a path",
      "file.write",
      '{"path":"a\\u0000b","content":"x"}',
      { kind: "invalid_args", field: "path" },
    ],
    [
      "a directory for a file",
      "file.write",
      '{"path":"sub","content":"x"}',
      { kind: "invalid_args" },
    ],
    ["a file for a directory", "file.list", '{"path":"file.txt"}', { kind: "invalid_args" }],
    ["a file inside a file", "file.read", '{"path":"file.txt/x"}', { kind: "invalid_args" }],
  ]

  it.each(wrong)(
    "O8, O10, O13: %s is one clear failure, exit code 1, nothing changed",
    async (_what, tool, input, failed) => {
      await mkdir(join(directory, "sub"))
      await writeFile(join(directory, "file.txt"), "as it was")
      const { exitCode, envelope } = await local(tool, input)
      expect(envelope).toMatchObject({ ok: false, ...failed })
      expect(exitCode).toBe(1)
      expect(await readdir(directory)).toEqual(["file.txt", "sub"])
      expect(await readFile(join(directory, "file.txt"), "utf8")).toBe("as it was")
      expect(existsSync(join(directory, "../../x"))).toBe(false)
    },
  )
})

function processesWith(text: string): string[] {
  const rows = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n")
  return rows.filter((row) => row === text)
}

async function untilRunning(text: string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (processesWith(text).length === 0) {
    if (Date.now() > deadline) throw new Error(`${text} did not start`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe("toolkeep call --session", () => {
  it("C1.session, C18: a later call finds what an earlier one has made, in the same session only", async () => {
    const inSession = (name: string, command: string) =>
      callCli(["shell.exec", JSON.stringify({ command }), "--session", name])
    await inSession("shop", "echo kept > note.txt; echo also > /tmp/note.txt")
    const later = await inSession("shop", "cat note.txt /tmp/note.txt")
    expect(later.envelope).toMatchObject({ ok: true, result: { stdout: "kept\nalso\n" } })
    const other = await inSession("other", "ls -A")
    expect(other.envelope).toMatchObject({ ok: true, result: { stdout: "" } })
  })

  it("C1: a host that keeps no files says so instead of losing them", async () => {
    const { exitCode, stderr } = await runCli([
      ...["call", "system.info", "--host", "memory", "--session", "shop"],
    ])
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      "toolkeep: the memory host does not store files, so --session cannot be used. That host was chosen because it was asked for.\n",
    )
  })
})
