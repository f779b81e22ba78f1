import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  type Async,
  type AsyncExec,
  computed,
  type ExecResult,
  exec,
  fetchData,
  generateText,
  type Handler,
  handler,
  pattern,
  patternTool,
  type Ref,
  readSandboxFile,
  run,
  sandbox,
  sh,
  writeSandboxFile,
} from "../../src/reactive/index.ts"
import { openToolkeep, type Session, type Toolkeep } from "../../src/session/index.ts"
import { scriptedModel } from "../support/agent/scripted-model.ts"
import { loadPattern } from "../support/reactive/load-pattern.ts"
import { fixed, openWeb, type Web } from "../support/tools/web-fixture.ts"

// Nothing is downloaded: the images are this machine's own programs.
const images = { "node:22": "host", "python:3.12": "host" }
let home: string
let keep: Toolkeep
let session: Session
let web: Web

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "toolkeep-reactive-"))
  // Sandboxes run as users of their own.
  await chmod(home, 0o711)
  web = await openWeb({ "/a%20b": fixed('{"path":"it\'s"}', "application/json") })
  const { settings } = web
  keep = await openToolkeep({ host: "bubblewrap", images, home, record: true, settings })
  session = keep.session("patterns")
})
afterAll(async () => {
  await keep.close()
  await web[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

/** Every sandbox of the session; "default" is nobody's here. */
const sandboxes = () => session.sandboxes.list().map(({ name }) => name)

describe("on real sandboxes", () => {
  it("C13.image, X5: a step that names no image has the host's default where there is no node:22", async () => {
    await using plain = await openToolkeep({ host: "bubblewrap", home })
    const both = pattern<object, { alone: Async<ExecResult>; inside: Async<ExecResult> }>(() => ({
      alone: exec({ command: "echo alone" }),
      inside: sandbox().exec("echo inside"),
    }))
    await using running = run(both, {}, { session: plain.session("plain") })
    expect(await running.out.alone.settled()).toMatchObject({ stdout: "alone\n" })
    expect(await running.out.inside.settled()).toMatchObject({ stdout: "inside\n" })
  })

  it("C13.files, C13.image, C13.result: exec runs a sequence in an image and gives its files and those that are missing", async () => {
    const build = pattern<
      { source: string },
      { built: Async<ExecResult>; none: Async<ExecResult> }
    >(({ source }) => ({
      built: exec({
        command: ["mkdir dist", sh`printf %s ${source} > dist/index.js`, "node dist/index.js"],
        files: ["dist/index.js", "dist/index.d.ts", "/tmp/chart.svg"],
      }),
      none: exec({ command: "true", image: "ruby:3" }),
    }))
    const source = "console.log('it\\'s', 6 * 7) // ünï\n"
    await using running = run(build, { source }, { session })
    expect(await running.out.built.settled()).toEqual({
      ...{ stdout: "it's 42\n", stderr: "", exit_code: 0 },
      files: { "dist/index.js": source },
      missing: ["dist/index.d.ts", "/tmp/chart.svg"],
    })
    await expect(running.out.none.settled()).rejects.toMatchObject({ kind: "invalid_args" })
    expect(running.out.none.error?.message).toMatch(/ruby:3/)
    await running.dispose()
    expect(sandboxes()).toEqual([])
  })

  it("C12.change, C13.command: a change ends the stale command inside its sandbox, and a timeout is an error", async () => {
    const wait = pattern<{ seconds: number; limit: number }, { step: AsyncExec }>(
      ({ seconds, limit }) => ({
        step: exec({
          command: sh`trap 'exit 0' TERM; echo up; sleep ${seconds}; echo done`,
          timeout_ms: limit,
        }),
      }),
    )
    await using running = run(wait, { seconds: 3600, limit: 600_000 }, { session })
    await expect.poll(() => running.out.step.output).toBe("up\n")
    running.inputs.seconds.set(0)
    expect((await running.out.step.settled()).stdout).toBe("up\ndone\n")
    await expect.poll(sandboxes).toEqual([])
    running.inputs.limit.set(1)
    running.inputs.seconds.set(3601)
    await expect(running.out.step.settled()).rejects.toMatchObject({ kind: "timeout" })
  })

  it("each run has a sandbox of its own, and those of stale runs are gone before others begin", async () => {
    const counts = { made: 0, gone: 0, most: 0 }
    const stop = session.listen((event) => {
      if (event.kind === "sandbox-created") counts.made += 1
      if (event.kind === "sandbox-destroyed") counts.gone += 1
      counts.most = Math.max(counts.most, counts.made - counts.gone)
    })
    const wait = pattern<{ count: number }, { step: AsyncExec }>(({ count }) => ({
      step: exec({ command: sh`echo ${count}; sleep 3600` }),
    }))
    await using running = run(wait, { count: 0 }, { session, atOnce: 1 })
    for (let count = 1; count <= 8; count += 1) {
      await expect.poll(() => running.out.step.output).toBe(`${count - 1}\n`)
      running.inputs.count.set(count)
    }
    await running.dispose()
    stop()
    expect(counts).toEqual({ made: 8, gone: 8, most: 1 })
  })

  it("C13.result: what a command prints is in its result, whole, also where a model would see its ends only", async () => {
    const print = pattern<object, { step: AsyncExec }>(() => ({
      step: exec({
        command: ["seq 1 20000", "echo é >&2; head -c 3000000 /dev/zero | tr '\\0' x"],
      }),
    }))
    await using running = run(print, {}, { session })
    const { stdout, stderr, truncated } = await running.out.step.settled()
    const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("")
    expect(stdout.slice(0, numbers.length)).toBe(numbers)
    expect(stdout.length).toBe(numbers.length + 3_000_000)
    expect([stderr, truncated]).toEqual(["é\n", undefined])
    expect(running.out.step.output).toMatch(/^\[\.\.\. \d+ characters left out \.\.\.\]\n/)
  })

  it("C14.read, C14.write, C15.files, C15.image, C15.exec: a sandbox stays, with its files, until the pattern ends", async () => {
    const files = pattern<
      { value: number },
      {
        data: Async<{ value: number }>
        text: Async<string>
        absent: Async<string>
        python: Async<ExecResult>
        say: ReturnType<typeof handler<string>>
      }
    >(({ value }) => {
      const sb = sandbox({ image: "python:3.12" })
      const content = computed(() => JSON.stringify({ value: value.get() }))
      const written = sb.writeFile("data.json", content)
      const isWritten = computed(() => written.result?.ok)
      const python = sb.exec(
        'python3 -c \'import json; print(json.load(open("data.json"))["value"])\'',
      )
      const { name } = sb
      const saved = writeSandboxFile({
        sandbox: name,
        path: "more.txt",
        content: "more",
        when: isWritten,
      })
      return {
        data: readSandboxFile({ sandbox: name, path: "data.json", mode: "json", when: isWritten }),
        text: readSandboxFile({
          sandbox: name,
          path: computed(() => (saved.result?.ok ? "more.txt" : "")),
        }),
        absent: readSandboxFile({ sandbox: name, path: "absent", when: isWritten }),
        python,
        say: handler<string>(async (text) => {
          await sb.exec(sh`echo ${text} >> more.txt`).settled()
        }),
      }
    })
    await using running = run(files, { value: 5 }, { session })
    const { data, text, absent, python, say } = running.out
    expect(await data.settled()).toEqual({ value: 5 })
    expect(await text.settled()).toBe("more")
    expect((await python.settled()).stdout).toBe("5\n")
    await expect(absent.settled()).rejects.toMatchObject({ kind: "not_found" })
    expect(sandboxes().filter((name) => name.startsWith("sandbox0-"))).toHaveLength(1)
    await say.send(" it's")
    text.refresh()
    expect(await text.settled()).toBe("more it's\n")
    await running.dispose()
    expect(sandboxes()).toEqual([])
  })

  it("C12.compose: fetchData goes through web.fetch, with its network and its record, and the policy refuses in a sentence", async () => {
    const page = pattern<{ path: string }, { step: Async<ExecResult> }>(({ path }) => {
      const fetched = fetchData({ url: computed(() => `${web.origin}${path.get()}`) })
      return { step: exec({ command: sh`echo ${computed(() => fetched.result?.path)}` }) }
    })
    await using running = run(page, { path: "/a b" }, { session })
    expect((await running.out.step.settled()).stdout).toBe("it's\n")
    await using strict = await openToolkeep({ host: "memory", home, policy: "minimal" })
    await using refused = run(page, { path: "/" }, { session: strict.session("strict") })
    await expect(refused.out.step.settled()).rejects.toMatchObject({ kind: "rejected" })
  })
})

it("C20.examples: the document's Python Runner and Shell, as printed, work on them", async () => {
  const python = await loadPattern<{ code: string }, object>("examples/patterns/python-runner.tsx")
  await using runner = run(python, { code: "print(6 * 7)" }, { session })
  await runner.settled()
  expect(JSON.stringify(runner.ui.snapshot().holes)).toContain("42")
  type Out = { history: ExecResult[]; run: Handler<{ command: string }> }
  const printed = "examples/patterns/shell.tsx"
  const shell = await loadPattern<{ language: "python" | "node" }, Out>(printed)
  await using running = run(shell, { language: "node" }, { session })
  for (const command of ["echo 'kept' > note", "cat note; exit 3"]) {
    await running.ui.send("h1", { command })
    await running.settled()
  }
  const ended = running.out.history.map(({ stdout, exit_code }) => [stdout, exit_code])
  expect(ended).toEqual([
    ["", 0],
    ["kept\n", 3],
  ])
})

describe("a model in a pattern", () => {
  it("C15.tools, C16.model, X11.generateText, X11.patternTool: works with the given tools only, in that sandbox", async () => {
    const square = pattern<{ number: number }, { square: Ref<number> }>(({ number }) => {
      const step = exec({ command: sh`expr ${number} '*' ${number}` })
      return { square: computed(() => Number(step.result?.stdout)) }
    })
    const ask = pattern<{ task: string }, { answer: Async<string>; seen: Async<string> }>(
      ({ task }) => {
        const sb = sandbox({ image: "node:22" })
        const input = {
          type: "object",
          properties: { number: { type: "integer" } },
          required: ["number"],
          additionalProperties: false,
        } as const
        const answer = generateText({
          prompt: task,
          tools: { ...sb.tools(), square: patternTool(square, { description: "Squares.", input }) },
        })
        const path = computed(() => (answer.result ? "note.txt" : undefined))
        return { answer, seen: readSandboxFile({ sandbox: sb.name, path }) }
      },
    )
    const model = scriptedModel([
      {
        calls: [
          { tool: "write_file", input: { path: "note.txt", content: "from the model" } },
          { tool: "square", input: { number: 12 } },
          { tool: "file_read", input: { path: "note.txt" } },
        ],
      },
      { text: "Done." },
    ])
    await using running = run(ask, { task: "Write a note." }, { session, model })
    expect(await running.out.answer.settled()).toBe("Done.")
    expect(await running.out.seen.settled()).toBe("from the model")
    const [first, second] = model.requests
    expect(first?.tools?.map(({ name }) => name).sort()).toEqual([
      ...["browse", "glob", "read_file", "shell", "square", "write_file"],
    ])
    const results = JSON.stringify(second?.prompt.at(-1))
    expect(results).toContain("144")
    expect(results).toContain("There is no tool")
    expect(JSON.stringify(first?.prompt)).toContain("Write a note.")
  })

  it("C20.examples, X11.generateText: the document's fragment, as printed, works in its sandbox", async () => {
    type Out = { answer: Async<string> }
    const agent = await loadPattern<{ task: string }, Out>("examples/patterns/agent.tsx")
    const model = scriptedModel([
      { calls: [{ tool: "shell", input: { command: "echo $((6 * 7)) | tee note.txt" } }] },
      { calls: [{ tool: "glob", input: { pattern: "*.txt" } }] },
      { text: "It is 42." },
    ])
    await using running = run(agent, { task: "Multiply." }, { session, model })
    expect(JSON.stringify(running.ui.snapshot())).toContain("ct-loader")
    await running.settled()
    const [, second, third] = model.requests
    expect(JSON.stringify(second?.prompt.at(-1))).toContain("42")
    expect(JSON.stringify(third?.prompt.at(-1))).toContain("note.txt")
    expect(running.ui.snapshot().holes[2]).toEqual(["It is 42."])
    await running.dispose()
    expect(sandboxes()).toEqual([])
  })

  it("X11.generateText: without a model it is an error in a sentence", async () => {
    const ask = pattern<object, { answer: Async<string> }>(() => ({
      answer: generateText({ prompt: "Hello" }),
    }))
    await using running = run(ask, {}, { session })
    await expect(running.out.answer.settled()).rejects.toThrow(/There is no model/)
  })
})
