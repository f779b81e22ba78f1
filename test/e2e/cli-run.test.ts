import { spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { visibleProcesses } from "../mcp/visible-processes.ts"
import { builtPackage } from "../support/built-package.ts"
import type { WireAnswer } from "../support/model-wire/answer.ts"
import { wireKey } from "../support/model-wire/open-wire-model.ts"
import { type ModelWire, startModelWire } from "../support/model-wire/start-model-wire.ts"
import { type CliOptions, runCli, startCli } from "./run-cli.ts"
import { startOnTerminal } from "./start-on-terminal.ts"

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-run-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(directory, 0o755)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const withoutKeys = {
  ANTHROPIC_API_KEY: undefined,
  OPENAI_API_KEY: undefined,
  TOOLKEEP_MODEL: undefined,
}

/** A model that gives these answers, and an empty home and directory to run in. */
async function start(...answers: readonly WireAnswer[]) {
  const wire = await startModelWire(...answers)
  onTestFinished(() => wire[Symbol.asyncDispose]())
  const model = `${wire.url}/compatible/v1#test`
  const options: CliOptions = {
    home: makeDirectory(),
    cwd: makeDirectory(),
    environment: { ...withoutKeys, TOOLKEEP_MODEL: model },
  }
  const run = (...args: string[]) => runCli(["run", "--host", "memory", ...args], options)
  return { wire, model, options, run }
}

const call = (tool: string, input: object) => ({ call: tool, arguments: JSON.stringify(input) })
const shell = (command: string) => call("shell_exec", { command })
const says = (text: string): WireAnswer => ({ parts: [{ text }] })

/** What the model got to read in a request, as one text. */
const read = (wire: ModelWire, request: number) =>
  JSON.stringify(wire.requests[request]?.body.messages)

const entriesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; sequence: number; body: never })

const askAboutShell = "tools:\n  hooks:\n    confirm: [shell.exec]\n"

it("O30, F16.role: limits of calls and cost, and roles of tasks, come from flags and toolkeep.yaml", async () => {
  const task = call("task", { task: "Judge it.", role: "critic" })
  const { wire, options, run } = await start(
    { parts: [shell("echo one"), shell("echo two")] },
    says("Enough."),
    { parts: [task] },
    { parts: [shell("echo child")] },
    says("It is bad."),
    says("The critic spoke."),
    { parts: [shell("echo again")] },
  )
  const yaml = `
agent:
  prices: { input: 1000000, output: 1000000 }
  limits: { calls_of: { shell.exec: 1, task: 5 } }
  roles:
    critic:
      description: Judges a text.
      instructions: You are a strict critic.
agents:
  critic: { deny: [shell.exec] }
`
  writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), yaml)
  expect(await run("Go.")).toMatchObject({ exitCode: 0, stdout: "Enough.\n" })
  expect(read(wire, 1)).toContain("The call limit of this run for shell_exec (1) is reached.")
  expect(await run("Judge.", "--max-calls", "5,shell.exec=2")).toMatchObject({ exitCode: 0 })
  // The role has its own instructions, and the policy knows it by its name.
  expect(read(wire, 3)).toContain("You are a strict critic.")
  expect(read(wire, 4)).toMatch(/rejected: [^"]*critic/)
  const costly = await run("Go.", "--max-cost", "0.5")
  expect(costly.exitCode).toBe(3)
  expect(costly.stderr).toContain("the run ended at its limit, a cost of 0.5.")
  writeFileSync(
    join(options.cwd ?? "", "toolkeep.yaml"),
    yaml.replace("{ shell.exec", "{ shel.exec"),
  )
  expect(await run("Go.")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('agent.limits.calls_of."shel.exec"'),
  })
})

it("C11, X9: run works on a task: the answer is on standard output, calls and the plan on standard error, and the session goes on later", async () => {
  const plan = call("todo", { items: [{ text: "write it", status: "doing" }] })
  const { wire, run } = await start(
    { parts: [{ text: "First a plan." }, plan, shell("echo hello > a.txt; cat a.txt")] },
    says("It says hello."),
    says("As I said: hello."),
  )
  const first = await run("Write hello to a.txt.")
  expect(first).toMatchObject({ exitCode: 0, stdout: "It says hello.\n" })
  const [, session = ""] = /^session (run-\w+)\n/.exec(first.stderr) ?? []
  expect(first.stderr).toContain("First a plan.\n")
  expect(first.stderr).toContain("  [~] write it\n")
  expect(first.stderr).toContain("> shell_exec  echo hello > a.txt; cat a.txt\n")
  expect(first.stderr).toMatch(/\* shell_exec ok command exit 0 .*\n {4}hello\n/)
  expect(first.stderr).toContain(`finished after 2 rounds, 2 calls`)
  expect(first.stderr).toContain(`toolkeep run --session ${session} "..."`)
  expect(first.stderr).not.toMatch(/[\u001b\r]/)

  const second = await run("--continue", "What does it say?")
  expect(second).toMatchObject({ exitCode: 0, stdout: "As I said: hello.\n" })
  expect(second.stderr).toContain(`session ${session}\n`)
  expect(read(wire, 2)).toContain("Write hello to a.txt.")
  expect(read(wire, 2)).toContain("What does it say?")
  expect(await run("--continue")).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^toolkeep: The last run of the session "run-\w+" is done\. .*\n$/,
    ),
  })
})

it("X6: run --from goes back to an entry with the files of that time, and replay goes through what there is then", async () => {
  const { wire, options } = await start(
    { parts: [shell("echo one > note; cat note")] },
    says("One."),
    { parts: [shell("echo two > note")] },
    says("Two."),
    { parts: [shell("cat note")] },
    says("Still one."),
  )
  const run = (...args: string[]) => runCli(["run", "--session", "notes", ...args], options)
  const first = await run("--host", "bubblewrap", "--json", "Write one.")
  const head = entriesOf(first.stdout).at(-1)?.sequence
  expect(await run("Write two.")).toMatchObject({ exitCode: 0, stdout: "Two.\n" })
  const third = await run("--from", String(head), "What does it say?")
  expect(third).toMatchObject({ exitCode: 0, stdout: "Still one.\n" })
  expect(read(wire, 5)).toContain("one")
  expect(read(wire, 5)).not.toContain("Write two.")
  const replay = await runCli(["replay", "notes", "--live", "--host", "memory", "--json"], options)
  expect(JSON.parse(replay.stdout)).toMatchObject({ calls: 2, messages: 2, notCaptured: [] })
  expect(await run("--from", "9999", "Again.")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("There is no entry 9999: the session has entries 1 to"),
  })
  expect(await runCli(["replay", "nothing"], options)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('there is no session "nothing"'),
  })
})

it("F17: run --json prints each entry of the record as a line, and nothing else", async () => {
  const { run } = await start({ parts: [shell("echo hello")] }, says("Done."))
  const { exitCode, stdout, stderr } = await run("Say hello.", "--json")
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  const entries = entriesOf(stdout)
  expect(entries.map(({ kind }) => kind)).toEqual([
    ...["settings", "run", "message", "message", "call", "envelope"],
    ...["checkpoint", "message", "message", "run-ended"],
  ])
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1))
  expect(entries.at(-1)?.body).toMatchObject({ why: "finished", text: "Done." })
})

it("X9: run --schema prints the value that satisfies it, or says that the model gave up", async () => {
  const complete = (result: object) => ({
    parts: [call("complete", { summary: "Counted.", result })],
  })
  const { run, options } = await start(
    complete({ count: "many" }),
    complete({ count: 4 }),
    ...[says("Four."), says("Four."), says("Four."), says("Four.")],
  )
  const schema = join(options.cwd ?? "", "count.json")
  const counted = {
    type: "object",
    properties: { count: { type: "integer" } },
    required: ["count"],
  }
  writeFileSync(schema, JSON.stringify(counted))
  const good = await run("Count the files.", "--schema", schema)
  expect(good).toMatchObject({ exitCode: 0, stdout: '{"count":4}\n' })
  expect(await run("Count the files.", "--schema", schema)).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining(
      "toolkeep: The model gave no value that satisfies the schema in 4 tries",
    ),
  })
  writeFileSync(schema, '{"type": "integre"}')
  expect(await run("Count.", "--schema", schema)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^toolkeep: --schema .*count\.json can't be used: .*\n$/),
  })
})

it("X8: a task comes from standard input, instructions from a file, and limits end a run with exit code 3", async () => {
  const { wire, options } = await start(
    { parts: [shell("echo one")] },
    { parts: [shell("echo two")] },
  )
  writeFileSync(join(options.cwd ?? "", "how.md"), "Answer like a pirate.")
  const limited = ["--max-rounds", "2", "--max-time", "2h", "--instructions", "how.md"]
  const result = await runCli(["run", "-", "--host", "memory", ...limited], {
    ...options,
    stdin: "Loop for ever.",
  })
  expect(result).toMatchObject({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringContaining("toolkeep: the run ended at its limit, 2 rounds.\n"),
  })
  expect(read(wire, 0)).toContain("Loop for ever.")
  expect(read(wire, 0)).toContain("Answer like a pirate.")
})

it("run refuses a command line that can't be meant, with exit code 2", async () => {
  const { run } = await start()
  const refused: readonly (readonly [readonly string[], string])[] = [
    [[], "no task given"],
    [["Go.", "--max-rounds", "0"], "--max-rounds must be a whole number from 1"],
    [["Go.", "--max-cost", "free"], "--max-cost must be a number above 0"],
    [["Go.", "--max-cost", "1"], "a limit on the cost needs prices: set agent.prices"],
    [["Go.", "--max-calls", "shel.exec=1"], 'is not a tool; did you mean "shell.exec"?'],
    [["Go.", "--max-calls", "shell.exec"], "--max-calls takes a number, numbers by tool, or both"],
    [["Go.", "--max-time", "soon"], "--max-time must be a time such as 90s, 10m or 2h."],
    [["Go.", "--yes", "--park"], "give one of them"],
    [["Go.", "--instructions", "no.md"], "--instructions no.md can't be read (ENOENT)."],
  ]
  for (const [args, message] of refused) {
    const { exitCode, stdout, stderr } = await run(...args)
    expect({ exitCode, stdout, stderr }).toEqual({
      ...{ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) },
    })
  }
})

describe("what a model needs", () => {
  it("C11: a missing model or key is one sentence with what to do", async () => {
    const { options, run } = await start()
    const without = (id?: string) => ({
      ...options,
      environment: { ...withoutKeys, TOOLKEEP_MODEL: id },
    })
    const asked = ["run", "Go.", "--host", "memory"]
    expect(await runCli(asked, without())).toEqual({
      ...{ exitCode: 1, stdout: "" },
      stderr:
        "toolkeep: No model is chosen: run `export TOOLKEEP_MODEL=anthropic/claude-sonnet-4-5`, give --model, or set agent.model in toolkeep.yaml.\n",
    })
    expect(await runCli(asked, without("anthropic/claude-sonnet-4-5"))).toEqual({
      ...{ exitCode: 1, stdout: "" },
      stderr:
        "toolkeep: The model anthropic/claude-sonnet-4-5 needs an API key: run `export ANTHROPIC_API_KEY=...`.\n",
    })
    expect(await runCli(asked, without("gpt"))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^toolkeep: "gpt" is not the id of a model\. Write it as .*\n$/,
      ),
    })
    // No session was made for any of them.
    expect(await run("--continue")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("No session has a run."),
    })
  })

  it("C11: a missing package is one sentence with the command that installs it", async () => {
    const directory = makeDirectory()
    cpSync(join(builtPackage, "dist"), join(directory, "dist"), { recursive: true })
    cpSync(join(builtPackage, "package.json"), join(directory, "package.json"))
    mkdirSync(join(directory, "node_modules"))
    const installed = join(repositoryRoot, "node_modules")
    for (const name of readdirSync(installed).filter((one) => one !== "@ai-sdk")) {
      symlinkSync(join(installed, name), join(directory, "node_modules", name))
    }
    const main = join(directory, "dist/cli/main.js")
    const asked = ["run", "Go.", "--host", "memory", "--model", "http://127.0.0.1:9/v1#test"]
    const environment = { ...process.env, TOOLKEEP_HOME: directory }
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...asked], {
      ...{ cwd: directory, env: environment, encoding: "utf8" },
    })
    expect({ status, stdout, stderr }).toEqual({
      ...{ status: 1, stdout: "" },
      stderr:
        "toolkeep: The model http://127.0.0.1:9/v1#test needs @ai-sdk/openai-compatible: run `npm install @ai-sdk/openai-compatible@3`.\n",
    })
  })

  it("C11: a key that is not accepted is one sentence, and the key is neither printed nor recorded", async () => {
    const { wire, options } = await start({
      ...{ status: 401, message: `Incorrect API key provided: ${wireKey}` },
    })
    const result = await runCli(["run", "Go.", "--host", "memory"], {
      ...options,
      environment: {
        TOOLKEEP_MODEL: "openai/gpt-5",
        OPENAI_API_KEY: wireKey,
        OPENAI_BASE_URL: `${wire.url}/v1`,
      },
    })
    expect(result).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /toolkeep: openai\/gpt-5 did not accept the API key \(401\).*\n/,
      ),
    })
    expect(result.stderr).not.toContain(wireKey)
    expect(result.stderr).not.toContain("    at ")
    const home = options.home ?? ""
    const files = readdirSync(home).filter((name) => name.startsWith("record"))
    expect(files.length).toBeGreaterThan(0)
    for (const name of files)
      expect(readFileSync(join(home, name), "latin1")).not.toContain(wireKey)
  })

  it("C11: toolkeep.yaml names the model", async () => {
    const { options, model } = await start(says("Configured."))
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), `agent:\n  model: ${model}\n`)
    const environment = withoutKeys
    const result = await runCli(["run", "Go.", "--host", "memory"], { ...options, environment })
    expect(result).toMatchObject({ exitCode: 0, stdout: "Configured.\n" })
  })
})

describe("approvals", () => {
  it("X7: without a terminal a question waits; approve answers it in another process, where the run goes on under the same policy", async () => {
    const { wire, options, run } = await start(
      {
        parts: [
          shell("echo asked > a.txt; cat a.txt"),
          call("clarify", { question: "Which one?" }),
        ],
      },
      says("Done."),
    )
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), askAboutShell)
    const parked = await run("Go.", "--session", "parked")
    expect(parked).toMatchObject({ exitCode: 4, stdout: "" })
    expect(parked.stderr).toContain("* shell_exec waits for an answer")
    expect(parked.stderr).toContain("toolkeep: 2 questions wait for you.\n")
    expect(parked.stderr).toContain('"command": "echo asked > a.txt; cat a.txt"')

    // Another directory, so another toolkeep.yaml: what the run was started with counts.
    const elsewhere = { ...options, cwd: makeDirectory(), environment: withoutKeys }
    const listed: { id: string; kind: string; run: string }[] = JSON.parse(
      (await runCli(["approve"], elsewhere)).stdout,
    )
    expect(listed.map(({ kind, run: name }) => [kind, name]).sort()).toEqual([
      ["approval", "parked"],
      ["clarify", "parked"],
    ])
    const idOf = (kind: string) => listed.find((one) => one.kind === kind)?.id ?? ""
    expect(parked.stderr).toContain(`toolkeep approve ${idOf("approval")} [--always`)
    expect(await runCli(["approve", idOf("clarify")], elsewhere)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("give it with --say TEXT"),
    })
    expect(
      await runCli(["approve", idOf("clarify"), "--say", "The red one.", "--no-run"], elsewhere),
    ).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("toolkeep: answered."),
    })
    expect(wire.requests).toHaveLength(1)
    const done = await runCli(["approve", idOf("approval")], elsewhere)
    expect(done).toMatchObject({ exitCode: 0, stdout: "Done.\n" })
    expect(read(wire, 1)).toContain("asked")
    expect(read(wire, 1)).toContain("The red one.")
    expect(await runCli(["approve", idOf("approval")], elsewhere)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("it was answered before or never asked"),
    })
    expect((await runCli(["approve"], elsewhere)).stdout).toBe("[]\n")
  })

  it("X7: approve denies with a reason, edits the arguments, and allows a tool for the session", async () => {
    const { wire, options, run } = await start(
      { parts: [shell("rm -rf /")] },
      { parts: [shell("echo wrong")] },
      { parts: [shell("echo first")] },
      { parts: [shell("echo second")] },
      says("Done."),
    )
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), askAboutShell)
    expect(await run("Go.", "--park")).toMatchObject({ exitCode: 4 })
    const answer = async (...flags: string[]) => {
      const [open] = JSON.parse((await runCli(["approve"], options)).stdout)
      return runCli(["approve", open.id, ...flags], options)
    }
    expect(await answer("--deny", "Never that.")).toMatchObject({ exitCode: 4 })
    expect(read(wire, 1)).toContain("Never that.")
    expect(await answer("--edit", '{"command": 7}')).toMatchObject({ exitCode: 4 })
    expect(read(wire, 2)).toContain("command")
    expect(await answer("--always")).toMatchObject({ exitCode: 0, stdout: "Done.\n" })
    expect(read(wire, 4)).toContain("second")
  })

  it("X7, Y6: policy explain shows what --always granted, and approve --withdraw takes it back", async () => {
    const { options, run } = await start(
      { parts: [shell("echo first")] },
      says("Done."),
      { parts: [shell("echo second")] },
      says("Done."),
    )
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), askAboutShell)
    expect(await run("Go.", "--park", "--session", "s")).toMatchObject({ exitCode: 4 })
    const [open] = JSON.parse((await runCli(["approve"], options)).stdout)
    await runCli(["approve", open.id, "--always"], options)
    const explain = async () => {
      const flags = ["--session", "s", "--host", "memory"]
      const told = await runCli(["policy", "explain", "shell.exec", ...flags], options)
      const { verdict, steps } = JSON.parse(told.stdout)
      return [verdict.kind, steps.at(-1).stage, steps.at(-1).says, steps.at(-1).decided]
    }
    expect(await explain()).toEqual(["allow", "grants", "allow", true])
    const withdraw = ["approve", "--withdraw", "shell.exec", "--session", "s"]
    expect(await runCli(withdraw, options)).toMatchObject({
      exitCode: 0,
      stderr: 'toolkeep: withdrawn. "s" asks about shell.exec again.\n',
    })
    expect(await explain()).toEqual(["ask", "grants", "nothing", false])
    expect(await runCli(withdraw, options)).toMatchObject({
      exitCode: 1,
      stderr: 'toolkeep: Nothing is granted for "shell.exec" in the session "s".\n',
    })
    expect(await run("Again.", "--park", "--session", "s")).toMatchObject({ exitCode: 4 })
  })

  it("X7: what a person has edited runs, and --yes asks nobody", async () => {
    const { wire, options, run } = await start(
      { parts: [shell("echo wrong")] },
      says("Edited."),
      { parts: [shell("echo fine")] },
      says("Allowed."),
    )
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), askAboutShell)
    expect(await run("Go.")).toMatchObject({ exitCode: 4 })
    const [open] = JSON.parse((await runCli(["approve"], options)).stdout)
    const edited = await runCli(
      ["approve", open.id, "--edit", '{"command": "echo right"}'],
      options,
    )
    expect(edited).toMatchObject({ exitCode: 0, stdout: "Edited.\n" })
    expect(JSON.stringify(wire.requests[1]?.body.messages.at(-1))).toContain("right")
    expect(await run("Go.", "--yes")).toMatchObject({ exitCode: 0, stdout: "Allowed.\n" })
  })

  it("X4, X7: at a terminal the person sees cards and is asked: once, edited, always, or no with a reason", async () => {
    const { wire, model, options } = await start(
      { parts: [{ text: "I try." }, shell("echo one")] },
      { parts: [shell("echo two")] },
      { parts: [shell("echo three")] },
      { parts: [shell("echo four")] },
      { parts: [call("clarify", { question: "Which?", options: ["red", "blue"] })] },
      says("All done."),
    )
    const { home = "", cwd = "" } = options
    writeFileSync(join(cwd, "toolkeep.yaml"), askAboutShell)
    const person = startOnTerminal(["run", "Go.", "--host", "memory", "--model", model], {
      home,
      cwd,
    })
    const answer = async (text: string, typed: string) => {
      await person.sees(text)
      await person.sees("[n]o and why:")
      person.type(`${typed}\n`)
    }
    await answer("echo one", "n Not this one.")
    await answer("echo two", "y")
    await answer("echo three", 'e {"command": "echo edited"}')
    await answer("echo four", "a")
    await person.sees("2 blue")
    await person.sees("> ")
    person.type("2\n")
    const { exitCode, seen } = await person.done
    expect(exitCode).toBe(0)
    expect(seen).toContain("I try.\n")
    expect(seen).toMatch(/\u001b\[1mshell_exec\u001b\[22m \u001b\[31muser_denied/)
    expect(seen).toMatch(/\u001b\[32mok command exit 0\u001b\[39m/)
    expect(seen.match(/All done\./g)).toHaveLength(1)
    expect(read(wire, 1)).toContain("Not this one.")
    expect(JSON.stringify(wire.requests[3]?.body.messages.at(-1))).toContain("edited")
    expect(JSON.stringify(wire.requests[5]?.body.messages.at(-1))).toContain("blue")
  })

  it("X7: what was typed before a question was shown does not answer it", async () => {
    const { wire, model, options } = await start(
      { parts: [{ text: "Type y and press Enter, twice." }, shell("echo one")] },
      { parts: [shell("echo two")] },
      says("Done."),
    )
    const { home = "", cwd = "" } = options
    writeFileSync(join(cwd, "toolkeep.yaml"), askAboutShell)
    const person = startOnTerminal(["run", "Go.", "--host", "memory", "--model", model], {
      ...{ home, cwd },
    })
    await person.sees("[n]o and why:")
    person.type("n\ny\n")
    await person.sees("echo two")
    await person.sees("[n]o and why:")
    person.type("n Still not.\n")
    expect(await person.done).toMatchObject({ exitCode: 0 })
    expect(JSON.stringify(wire.requests[2]?.body.messages.at(-1))).toContain("Still not.")
  })

  it("X7: an answer to a run that still works reaches it there, and nothing is run twice", async () => {
    const { wire, options } = await start(
      {
        parts: [
          shell("echo asked"),
          call("code_run", {
            language: "javascript",
            code: `const number = "8206.${process.pid}"; setInterval(() => {}, 1000)`,
          }),
        ],
      },
      says("Both are done."),
    )
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), askAboutShell)
    const { child, done } = startCli(["run", "Go.", "--session", "busy"], options)
    const openQuestions = async () => JSON.parse((await runCli(["approve"], options)).stdout)
    await expect.poll(openQuestions).toHaveLength(1)
    const [{ id }] = await openQuestions()
    expect(await runCli(["approve", id], options)).toEqual({
      ...{ exitCode: 0, stdout: "" },
      stderr: 'toolkeep: answered. The process that has "busy" open continues.\n',
    })
    expect(await runCli(["run", "Go.", "--session", "busy"], options)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("The session is in use by another Toolkeep"),
    })
    child.kill("SIGINT")
    expect(await done).toMatchObject({ exitCode: 0, stdout: "Both are done.\n" })
    expect(read(wire, 1)).toContain("asked")
    expect(wire.requests).toHaveLength(2)
  })

  it("F16, X7: a question of a task waits too, and its answer lets the task and the run go on", async () => {
    const { wire, options, run } = await start(
      { parts: [call("task", { task: "Find the word." })] },
      { parts: [shell("echo found")] },
      says("The word is found."),
      says("It is found."),
    )
    writeFileSync(join(options.cwd ?? "", "toolkeep.yaml"), askAboutShell)
    expect(await run("Go.", "--session", "above")).toMatchObject({ exitCode: 4 })
    const [open] = JSON.parse((await runCli(["approve"], options)).stdout)
    expect(open).toMatchObject({ run: "above", session: expect.stringContaining("above/") })
    const done = await runCli(["approve", open.id], options)
    expect(done).toMatchObject({ exitCode: 0, stdout: "It is found.\n" })
    expect(done.stderr).toContain("\n  * shell_exec ok command exit 0")
    expect(read(wire, 3)).toContain("The word is found.")
  })
})

describe("what is shown", () => {
  it("X4: on a terminal a running call shows its last lines, and Ctrl-C there ends it", async () => {
    const command = `sleep 8204.${process.pid}`
    const { model, options } = await start(
      { parts: [shell(`echo first; echo second; ${command}`)] },
      says("It was ended."),
    )
    const { home = "", cwd = "" } = options
    const person = startOnTerminal(["run", "Go.", "--model", model], { home, cwd })
    await person.sees("    second")
    person.type("\u0003")
    await person.sees("ending the running calls")
    const { exitCode, seen } = await person.done
    expect(exitCode).toBe(0)
    expect(seen).toMatch(/\u001b\[1mshell_exec\u001b\[22m \u001b\[2m\d+\.\d s/)
    expect(seen).toContain("It was ended.\n")
  })

  it("X7: Ctrl-C at a question ends the call and Ctrl-D refuses it, and the run goes on", async () => {
    const { wire, model, options } = await start(
      { parts: [shell("echo one")] },
      { parts: [shell("echo two")] },
      { parts: [shell("echo three")] },
      says("None has run."),
    )
    const { home = "", cwd = "" } = options
    writeFileSync(join(cwd, "toolkeep.yaml"), askAboutShell)
    const person = startOnTerminal(["run", "Go.", "--host", "memory", "--model", model], {
      ...{ home, cwd },
    })
    await person.sees("[n]o and why:")
    person.type("\u0003")
    await person.sees("echo two")
    await person.sees("[n]o and why:")
    person.type("\u0004")
    const { exitCode, seen } = await person.done
    expect(exitCode).toBe(0)
    expect(seen).toContain("None has run.\n")
    expect(read(wire, 3)).toContain("A person said no to this call")
    expect(read(wire, 3)).not.toMatch(/"content":"(one|two|three)"/)
  })

  it("O3, X4.markdown: the model's words are shown as markdown on a terminal, and as they came elsewhere", async () => {
    const words = "# Result\n\n- **one** with `code`\n\u001b[2J"
    const { model, options, run } = await start(says(words), says(words))
    const { home = "", cwd = "" } = options
    const person = startOnTerminal(["run", "Go.", "--host", "memory", "--model", model], {
      ...{ home, cwd },
    })
    const { exitCode, seen } = await person.done
    expect(exitCode).toBe(0)
    expect(seen).toContain("\u001b[1mResult\u001b[22m")
    expect(seen).toContain("• \u001b[1mone\u001b[22m with \u001b[36mcode\u001b[39m")
    expect(seen).not.toContain("\u001b[2J")
    expect(await run("Go.")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("# Result\n\n- **one** with `code`\n"),
    })
  })

  it("X4: neither the model, nor a command, nor a tool's name can steer the terminal", async () => {
    const steering = "\u001b]0;owned\u0007\u001b[2J"
    const { model, options } = await start(
      {
        parts: [
          { text: `Look ${steering}` },
          call("todo", { items: [{ text: `plan ${steering}` }] }),
          shell("printf '\\033]0;owned\\007\\033[2J'"),
          call(`no${steering}such`, {}),
        ],
      },
      says(`Done ${steering}`),
    )
    const { home = "", cwd = "" } = options
    const person = startOnTerminal(["run", "Go.", "--host", "memory", "--model", model], {
      ...{ home, cwd },
    })
    const { exitCode, seen } = await person.done
    expect(exitCode).toBe(0)
    expect(seen).toContain("Look <U+001B>]0;owned<U+0007><U+001B>[2J")
    expect(seen).not.toContain("\u001b]")
    expect(seen).not.toContain("\u001b[2J")
  })
})

describe("a run that is interrupted", () => {
  const busy = (number: number) => `sleep ${number}.${process.pid}`
  const isRunning = async (command: string) => (await visibleProcesses()).includes(command)

  it("F17: killed in the middle of a call, it goes on: the call has an answer, and its outcome is unknown", async () => {
    const command = busy(8201)
    const { wire, options } = await start(
      { parts: [shell(`echo begun; ${command}`)] },
      says("I checked."),
    )
    const { child, done } = startCli(["run", "Go.", "--session", "killed"], options)
    await expect.poll(() => isRunning(command)).toBe(true)
    child.kill("SIGKILL")
    await done
    const result = await runCli(["run", "--continue", "--max-rounds", "1"], options)
    expect(result).toMatchObject({ exitCode: 0, stdout: "I checked.\n" })
    expect(result.stderr).toContain("with its first settings, so --max-rounds has no effect.\n")
    expect(result.stderr).toContain("session killed\n")
    expect(read(wire, 1)).toContain("its outcome is unknown")
    await expect.poll(() => isRunning(command)).toBe(false)
  })

  it("O25, X4: Ctrl-C ends the running calls, which say so, and the run goes on", async () => {
    const command = busy(8202)
    const { wire, options } = await start(
      { parts: [shell(`echo begun; ${command}`)] },
      says("It was ended."),
    )
    const { child, done } = startCli(["run", "Go.", "--json"], options)
    await expect.poll(() => isRunning(command)).toBe(true)
    child.kill("SIGINT")
    const { exitCode, stdout, stderr } = await done
    expect(stderr).toBe("toolkeep: ending the running calls; press Ctrl-C again to end the run\n")
    expect(exitCode).toBe(0)
    const envelope = entriesOf(stdout).find(({ kind }) => kind === "envelope")
    expect(envelope?.body).toMatchObject({
      envelope: { ok: true, result: { stdout: "begun\n", killed_by: "user" } },
    })
    expect(wire.requests).toHaveLength(2)
  })

  it("F16, O25: Ctrl-C ends what a task runs, and the task goes on", async () => {
    const command = busy(8205)
    const { wire, options } = await start(
      { parts: [call("task", { task: "Wait." })] },
      { parts: [shell(`echo begun; ${command}`)] },
      says("The wait was ended."),
      says("Nothing is left."),
    )
    const { child, done } = startCli(["run", "Go."], options)
    await expect.poll(() => isRunning(command)).toBe(true)
    child.kill("SIGINT")
    expect(await done).toMatchObject({ exitCode: 0, stdout: "Nothing is left.\n" })
    expect(read(wire, 3)).toContain("The wait was ended.")
  })

  it("X4: Ctrl-C twice ends the run, what had finished stays, and it can go on", async () => {
    const command = busy(8203)
    const { wire, options } = await start(
      { parts: [shell(`echo begun; ${command}`)] },
      { silence: true },
      says("Back again."),
    )
    const { child, done } = startCli(["run", "Go.", "--json"], options)
    await expect.poll(() => isRunning(command)).toBe(true)
    child.kill("SIGINT")
    await expect.poll(() => wire.requests.length).toBe(2)
    child.kill("SIGINT")
    const { exitCode, stdout } = await done
    expect(exitCode).toBe(130)
    expect(entriesOf(stdout).at(-1)).toMatchObject({ kind: "run-ended", body: { why: "aborted" } })
    const again = await runCli(["run", "--continue"], options)
    expect(again).toMatchObject({ exitCode: 0, stdout: "Back again.\n" })
    expect(read(wire, 2)).toContain("begun")
  })
})
