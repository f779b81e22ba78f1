import { describe, expect, it, onTestFinished } from "vitest"
import { defineTool, type Tool } from "../../src/contract/index.ts"
import type { DialectAnswer } from "../../src/dialects/index.ts"
import { openToolkeep, type Session, type ToolkeepOptions } from "../../src/session/index.ts"
import { textOf } from "../support/dialects/dialect-fixture.ts"
import { inTime } from "../support/in-time.ts"
import { temporaryHome } from "../support/mcp/bridge-fixture.ts"

/** Each answer and error that a document prints, through a session in that document's words. */
interface Spoken {
  readonly session: Session
  say(tool: string, input?: unknown): Promise<DialectAnswer>
}

async function speak(dialect: string, options: ToolkeepOptions = {}): Promise<Spoken> {
  const home = await temporaryHome()
  const keep = await openToolkeep({ host: "bubblewrap", home, dialect, ...options })
  onTestFinished(() => keep.close())
  const session = keep.session()
  const say = async (tool: string, input?: unknown) =>
    session.render(await session.start(tool, input).envelope)
  return { session, say }
}

const nothing = { type: "object", properties: {}, additionalProperties: false } as const

function ownTool(name: string, run: () => unknown, timeoutMs?: number): Tool {
  const cap = timeoutMs === undefined ? {} : { timeoutMs }
  return defineTool({ name, description: "A tool of one's own.", input: nothing, run, ...cap })
}

describe("document 000, flue", () => {
  it("F9.model, X12.answers: a timeout is a shell's result with exit code 124 and a message", async () => {
    const { say } = await speak("flue")
    await inTime(async (ms) => {
      const command = { command: "echo first; sleep 600", timeout: ms / 1000 }
      expect(await say("bash", command)).toEqual({
        ok: true,
        tool: "bash",
        result: {
          stdout: "first\n",
          stderr: `[The command was ended: it ran longer than ${ms} ms, its timeout.]\n`,
          exitCode: 124,
        },
      })
    })
  })

  it("F3.directory, F3.file, X12: read lists a directory and reads a file", async () => {
    const { say } = await speak("flue")
    await say("write", { path: "src/a.txt", content: "a\n" })
    expect(await say("read", { path: "src" })).toMatchObject({ result: { kind: "listing" } })
    expect(await say("read", { path: "src/a.txt" })).toMatchObject({ result: { text: "a\n" } })
  })
})

describe("document 001, osaurus", () => {
  it("O2, X12.answers: a written file is answered with its path in the agent's home and its size", async () => {
    const { say } = await speak("osaurus")
    const input = { path: "/home/agent/foo.txt", content: "x".repeat(123) }
    expect(await say("sandbox_write_file", input)).toEqual({
      ok: true,
      tool: "sandbox_write_file",
      result: { path: "/home/agent/foo.txt", size: 123 },
    })
    expect(await say("file_read", { path: "foo.txt" })).toMatchObject({
      result: { kind: "file", path: "foo.txt", text: "x".repeat(123) },
    })
    expect(await say("file_read", { path: "/home/agent" })).toMatchObject({
      result: {
        path: "/home/agent",
        entries: [{ name: "foo.txt", path: "/home/agent/foo.txt", type: "file" }],
      },
    })
    expect(await say("file_read", { path: "/home/agent/none.txt" })).toEqual({
      ok: false,
      kind: "not_found",
      message: '"/home/agent/none.txt" does not exist.',
      tool: "file_read",
      retryable: false,
    })
  })

  it("O24, X12: a path of the agent's home means the same to a command, and output stays as it is", async () => {
    const { say } = await speak("osaurus")
    await say("sandbox_write_file", { path: "/home/agent/a/b.txt", content: "/home/agent" })
    const command = "cat /home/agent/a/b.txt; cat '/home/agent/a/b.txt'; ls /home/agents"
    expect(await say("shell_run", { command, cwd: "/home/agent/a" })).toMatchObject({
      result: {
        stdout: "/home/agent/home/agent",
        stderr: expect.stringContaining("/home/agents"),
        cwd: "/home/agent/a",
      },
    })
  })

  it("O4.fields, X12.answers: a directory is the listing that is printed", async () => {
    const { say, session } = await speak("osaurus")
    await session.call("shell.exec", {
      command: "mkdir -p Desktop/photos; touch Desktop/notes.txt",
    })
    expect(await say("file_read", { path: "Desktop" })).toEqual({
      ok: true,
      tool: "file_read",
      result: {
        kind: "listing",
        path: "Desktop",
        entries: [
          { name: "notes.txt", path: "Desktop/notes.txt", type: "file" },
          { name: "photos", path: "Desktop/photos", type: "directory" },
        ],
        entry_count: 2,
        truncated: false,
      },
    })
  })

  it("O8, X12.errors: a missing argument is the failure that is printed", async () => {
    const { say } = await speak("osaurus")
    const failed = {
      ok: false,
      kind: "invalid_args",
      message: "Missing required argument `content` (string).",
      field: "content",
      expected: "non-empty string of file contents",
      tool: "sandbox_write_file",
      retryable: true,
    }
    expect(await say("sandbox_write_file", { path: "foo.txt" })).toEqual(failed)
    expect(await say("sandbox_write_file", '{"path": "foo.txt"}')).toEqual(failed)
    expect(await say("file_read", {})).toMatchObject({
      message: "Missing required argument `path` (string).",
      expected: "relative path under the agent home",
    })
    expect(await say("sandbox_write_file", { path: "foo.txt", content: "" })).toMatchObject({
      message: expect.stringContaining("must not be empty"),
      field: "content",
    })
  })

  it("O24.fields, O26.fields, X12.answers: a command has the printed fields, in the foreground and in the background", async () => {
    const { say } = await speak("osaurus")
    expect(await say("sandbox_exec", { command: "echo out; echo err >&2; exit 3" })).toEqual({
      ok: true,
      tool: "sandbox_exec",
      result: { stdout: "out\n", stderr: "err\n", exit_code: 3, cwd: "/home/agent" },
    })
    expect(await say("sandbox_exec", { command: "sleep 600", background: true })).toEqual({
      ok: true,
      tool: "sandbox_exec",
      result: {
        pid: expect.any(Number),
        log_file: expect.stringMatching(/^\/home\/agent\//),
        cwd: "/home/agent",
        background: true,
      },
    })
  })

  it("O25, X12: a command that a person ended says killed_by user", async () => {
    const { session } = await speak("osaurus")
    const running = session.start("sandbox_exec", { command: "echo up; sleep 600" })
    const heard = new Promise((resolve) => {
      session.listen((event) => event.kind === "call-output" && resolve(event))
    })
    await heard
    running.terminate()
    expect(await running.envelope).toMatchObject({
      ok: true,
      result: { stdout: "up\n", killed_by: "user" },
    })
  })

  it("O23.path, O23.missing, O23.filename, X12.errors: each failure of share_artifact has its kind and field, and suggests what to do", async () => {
    const { say } = await speak("osaurus")
    expect(await say("share_artifact", { path: "/etc/passwd" })).toMatchObject({
      kind: "invalid_args",
      field: "path",
      message: expect.stringMatching(/\/home\/agent.*sandbox_search_files/),
    })
    expect(await say("share_artifact", { path: "foo.png" })).toMatchObject({
      kind: "execution_error",
      message: expect.stringMatching(
        /\/home\/agent\/foo\.png, \/home\/agent\/output\/foo\.png.*\/home\/agent\/dist\/foo\.png/,
      ),
    })
    expect(await say("share_artifact", { content: "a", filename: "a/b.txt" })).toMatchObject({
      kind: "invalid_args",
      field: "filename",
      message: expect.stringContaining("plain basename"),
    })
  })

  it("O3.text, X12.answers: what is found in memory is one text", async () => {
    const { say, session } = await speak("osaurus")
    const content = "Ports start at 8000."
    await session.call("memory.write", { namespace: "project", content })
    const text = expect.stringMatching(
      /^Found 1 matches\nproject memory_\w+ \(.*\)\n {2}Ports start at 8000\.$/,
    )
    expect(await say("search_memory", { query: "ports" })).toEqual(
      expect.objectContaining({ result: { text } }),
    )
  })

  it("O20, O31, X12: a wrapped call runs, and a pipe that was read no further only warns", async () => {
    const { say } = await speak("osaurus")
    const command = "yes | head -n 1"
    expect(await say("sandbox_exec", { properties: { command } })).toMatchObject({
      ok: true,
      result: { stdout: "y\n", exit_code: 141 },
      warnings: [
        'arguments taken out of a "properties" wrapper',
        expect.stringContaining("Exit code 141"),
      ],
    })
  })
})

describe("document 002, cloudflare", () => {
  const content = (answer: DialectAnswer) => JSON.parse(textOf(answer))

  it("C2.result, C3.result, C4.result, C5, C7.created, C7.again, C8.fields, C9.file, X12.answers: each tool returns exactly the printed fields", async () => {
    const { say } = await speak("cloudflare")
    const path = "/home/user/app/main.py"
    const answers = {
      write_file: content(await say("write_file", { path, content: "print(1)\n" })),
      read_file: content(await say("read_file", { path })),
      shell: content(await say("shell", { command: "echo hi" })),
      glob: content(await say("glob", { pattern: "app/*" })),
      sandbox_create: content(await say("sandbox_create", { sandbox: "backend" })),
      again: content(await say("sandbox_create", { sandbox: "backend" })),
      transfer: content(
        await say("transfer", {
          ...{ from_sandbox: "default", from_path: path },
          ...{ to_sandbox: "backend", to_path: "main.py" },
        }),
      ),
      sandbox_list: content(await say("sandbox_list")),
    }
    expect(answers).toEqual({
      write_file: { ok: true, size: 9 },
      read_file: { content: "print(1)\n", size: 9 },
      shell: { stdout: "hi\n", stderr: "", exit_code: 0 },
      glob: { files: ["app/main.py"] },
      sandbox_create: { sandbox: "backend", created: true },
      again: { sandbox: "backend", created: false },
      transfer: { ok: true, bytes: 9 },
      sandbox_list: {
        sandboxes: [
          { name: "default", image: "host", status: "running" },
          { name: "backend", image: "host", status: "running" },
        ],
      },
    })
  })

  it("C10.unknown, C10.thrown, X12.errors: an unknown tool and an error are content, with isError", async () => {
    const { say } = await speak("cloudflare")
    expect(await say("shel", {})).toEqual({ content: "Unknown tool: shel", isError: true })
    expect(await say("read_file", { path: "none" })).toEqual({
      content: '"/home/user/none" does not exist.',
      isError: true,
    })
  })

  it("C10.exit, O31.sigpipe, X12.errors: a command that fails is an error with its output; exit 141 is none", async () => {
    const { say } = await speak("cloudflare")
    expect(await say("shell", { command: "echo no >&2; exit 3" })).toEqual({
      content: '{"stdout":"","stderr":"no\\n","exit_code":3}',
      isError: true,
    })
    const piped = await say("shell", { command: "yes | head -n 1" })
    expect(piped).not.toHaveProperty("isError")
    expect(content(piped)).toMatchObject({ stdout: "y\n", exit_code: 141 })
  })
})

describe("document 003, openrath", () => {
  const parsed = async (answer: Promise<unknown>) => JSON.parse(String(await answer))

  it("R4.shell, R4.file, R7.fields, X12.answers: the two system tools answer with the printed fields", async () => {
    const { say } = await speak("openrath")
    expect(await parsed(say("write_workspace_file", { path: "é.txt", content: "é" }))).toEqual({
      bytes_written: 2,
    })
    expect(await parsed(say("run_shell_command", { command: "cat é.txt; exit 3" }))).toEqual({
      exit_code: 3,
      stdout: "é",
      stderr: "",
      elapsed_ms: expect.any(Number),
    })
  })

  it("R5.lines, R5.length, R11.arguments, R11.unknown, R11.exception, X12.errors: each error has the printed kind, with ok, message and detail", async () => {
    const fail = ownTool("fail", () => {
      throw new Error("no such luck")
    })
    const { say } = await speak("openrath", { tools: [fail, ownTool("yes", () => true)] })
    const kindOf = async (tool: string, input?: unknown) => {
      const { error_kind, ...rest } = await parsed(say(tool, input))
      expect(rest).toEqual({ ok: false, message: expect.any(String), detail: expect.any(Object) })
      return error_kind
    }
    const long = `echo ${"x".repeat(2_044)}`
    expect(await kindOf("run_shell_command", { command: "echo a\necho b" })).toBe(
      "tool_execution_exception",
    )
    expect(await kindOf("run_shell_command", { command: long })).toBe("tool_execution_exception")
    expect(await kindOf("fail")).toBe("tool_execution_exception")
    expect(await kindOf("run_shell_command", "{not json")).toBe("invalid_tool_arguments")
    expect(await kindOf("run_shell", {})).toBe("unknown_tool")
    expect(await parsed(say("yes"))).toEqual({ ok: true })
  })
})

describe("document 004, flynn", () => {
  it("Y2, X12.answers, X12.errors: a file is its content, byte for byte, and a missing one is File not found", async () => {
    const { say } = await speak("flynn")
    await say("file.write", { path: "a.txt", content: "one\n\n" })
    expect(await say("file.read", { path: "a.txt" })).toEqual({ success: true, output: "one\n\n" })
    expect(await say("file.read", { path: "a.txt", encoding: "base64" })).toEqual({
      success: true,
      output: Buffer.from("one\n\n").toString("base64"),
    })
    const path = "/home/user/path/to/file"
    expect(await say("file.read", { path })).toEqual({
      success: false,
      output: "",
      error: `File not found: ${path}`,
    })
    expect(await say("process.status", { pid: 99 })).toMatchObject({
      error: expect.not.stringContaining("File not found"),
    })
    expect(await say("file.read", { path: "." })).toEqual({
      success: false,
      output: "",
      error: '"." is a directory, not a file; list it with file.list.',
    })
  })

  it("Y10, X12.errors: a tool that the policy does not allow says so", async () => {
    const { say } = await speak("flynn", {
      policy: { tools: { policy: "coding", rules: [{ deny: "file.write", when: { path: "x" } }] } },
    })
    expect(await say("shell.exec", { command: "true" })).toEqual({
      success: false,
      output: "",
      error: "Tool 'shell.exec' is not allowed by tool policy",
    })
    expect(await say("file.write", { path: "x", content: "" })).toMatchObject({
      error: expect.stringContaining("with these arguments"),
    })
  })

  it("Y11, X12.errors: a person who says no cancels the execution, with their reason where they give one", async () => {
    const ask = (reason?: string) =>
      speak("flynn", {
        policy: { tools: { policy: "full", hooks: { confirm: ["shell.*"] } } },
        approve: async () => ({ kind: "denied", ...(reason !== undefined && { reason }) }),
      })
    const command = { command: "true" }
    expect(await (await ask()).say("shell.exec", command)).toEqual({
      success: false,
      output: "",
      error: "Tool execution cancelled by user",
    })
    expect(await (await ask("Not today.")).say("shell.exec", command)).toMatchObject({
      error: "Tool execution cancelled by user: Not today.",
    })
  })

  it("Y12, X12.errors: a timeout is a failure that names the tool and the milliseconds", async () => {
    const never = ownTool("never", () => new Promise(() => {}), 50)
    const { say } = await speak("flynn", { tools: [never] })
    await inTime(async (timeout) => {
      expect(await say("shell.exec", { command: "echo first; sleep 600", timeout })).toEqual({
        success: false,
        output: expect.stringMatching(/^first\n/),
        error: `Tool 'shell.exec' timed out after ${timeout}ms`,
      })
    })
    expect(await say("never")).toEqual({
      success: false,
      output: "",
      error: "Tool 'never' timed out after 50ms",
    })
  })

  it("Y13.cut, Y13.counted, X12.answers: output is cut with the hidden bytes counted, of a command and of a file", async () => {
    const { say } = await speak("flynn")
    const note = /\[Output truncated - (\d+) bytes hidden\]/
    const output = async (tool: string, input: object) => textOf(await say(tool, input))
    const make = "yes é | head -n 100000 | tr -d '\\n' | tee long.txt"
    for (const text of [
      await output("shell.exec", { command: make }),
      await output("file.read", { path: "long.txt" }),
    ]) {
      const shown = Buffer.byteLength(text.replaceAll(/[^é]/g, ""))
      expect(shown + Number(note.exec(text)?.[1])).toBe(200_000)
    }
    expect(await output("file.read", { path: "long.txt" })).toMatch(/bytes hidden\]$/)
  })
})
