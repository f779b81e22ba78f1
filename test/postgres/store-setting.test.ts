import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { createClient } from "../../src/api/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { postgresRecord } from "../../src/store/index.ts"
import { type CliOptions, runCli } from "../e2e/run-cli.ts"
import { startServer } from "../e2e/start-server.ts"
import { builtPackage, commandLine } from "../support/built-package.ts"
import type { WireAnswer } from "../support/model-wire/answer.ts"
import { startModelWire } from "../support/model-wire/start-model-wire.ts"
import { password } from "../support/postgres/start-postgres.ts"
import { through, usePostgres } from "./postgres-fixture.ts"

const { server, pooler } = usePostgres()

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-store-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(directory, 0o755)
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: as it is written in the file.
const fromEnvironment = "store: ${DATABASE_URL}\n"

/** A machine of its own: a home, and a directory with this toolkeep.yaml. */
function makeMachine(
  yaml: string,
  environment: NodeJS.ProcessEnv = {},
): Required<Pick<CliOptions, "home" | "cwd">> & CliOptions {
  const cwd = makeDirectory()
  writeFileSync(join(cwd, "toolkeep.yaml"), yaml)
  return { home: makeDirectory(), cwd, environment }
}

const says = (text: string): WireAnswer => ({ parts: [{ text }] })
const shell = (command: string) => ({
  call: "shell_exec",
  arguments: JSON.stringify({ command }),
})

it("X7, F20: a run whose record is in PostgreSQL is answered, continued and listed on another machine", async () => {
  const url = through(pooler(), await server().createDatabase())
  await using wire = await startModelWire(
    { parts: [shell("echo asked")] },
    says("It printed asked."),
  )
  const environment = {
    ...{ ANTHROPIC_API_KEY: undefined, OPENAI_API_KEY: undefined, DATABASE_URL: url },
    TOOLKEEP_MODEL: `${wire.url}/compatible/v1#test`,
  }
  const yaml = `${fromEnvironment}tools:\n  hooks:\n    confirm: [shell.exec]\n`
  const [one, other] = [makeMachine(yaml, environment), makeMachine(yaml, environment)]
  const args = ["run", "Go.", "--host", "memory", "--session", "parked"]
  expect(await runCli(args, one)).toMatchObject({ exitCode: 4, stdout: "" })
  expect(existsSync(join(one.home, "record.sqlite"))).toBe(false)

  const listed = JSON.parse((await runCli(["sessions", "list"], other)).stdout)
  expect(listed).toMatchObject([{ name: "parked", state: "waiting", open: false }])
  const questions = JSON.parse((await runCli(["approve"], other)).stdout)
  expect(questions).toMatchObject([{ session: "parked", kind: "approval" }])
  const done = await runCli(["approve", questions[0].id], other)
  expect(done).toMatchObject({ exitCode: 0, stdout: "It printed asked.\n" })
  const shown = (await runCli(["sessions", "show", "parked"], one)).stdout
  expect(shown).toContain('"kind":"envelope"')
  expect(JSON.parse((await runCli(["sessions", "list"], one)).stdout)).toMatchObject([
    { name: "parked", state: "idle" },
  ])
})

it("F20, X7: two servers share a record: what happens at one is read, and a question answered, at the other", async () => {
  const url = await server().createDatabase()
  const start = async () => {
    const { cwd } = makeMachine(fromEnvironment)
    const environment = { DATABASE_URL: url }
    const args = [commandLine, "up", "--port", "0", "--no-console", "--host", "memory"]
    const started = await startServer(process.execPath, args, { cwd, environment })
    const { url: address, token } = await started.ready()
    return createClient({ url: new URL(address).origin, token })
  }
  const [one, other] = [await start(), await start()]
  const asked = { session: "shared", tool: "shell.exec", input: { command: "echo here" } }
  const { envelope } = await one.request("calls.start", asked)
  expect(envelope).toMatchObject({ ok: true, result: { stdout: "here\n" } })
  const { sessions } = await other.request("sessions.list", {})
  expect(sessions.map(({ name }) => name)).toEqual(["shared"])
  const { entries } = await other.request("entries.list", { session: "shared" })
  expect(entries.map(({ kind }) => kind)).toContain("envelope")

  // A run of a third process waits for a person.
  await using store = await postgresRecord({ url })
  const parked = await store.open("parked")
  const body = { kind: "approval", tool: "shell.exec", text: "May it?", input: {} }
  await parked.ask({ id: "question_1", call: "call_1", askedAt: 1, body })
  await parked.append([], "waiting")
  const answer = parked.answerTo("question_1", AbortSignal.timeout(60_000))
  expect((await one.request("questions.list", {})).questions).toMatchObject([
    { question: "question_1", session: "parked" },
  ])
  const given = { question: "question_1", answer: "approve" } as const
  expect(await other.request("questions.answer", given)).toEqual({ counted: true })
  expect(await one.request("questions.answer", given)).toEqual({ counted: false })
  expect(await answer).toMatchObject({ kind: "approved" })
})

it("F20: a program records in the database that its policy names, and finds it again", async () => {
  const store = await server().createDatabase()
  const options = { host: "memory", record: true, policy: { store } } as const
  {
    await using toolkeep = await openToolkeep({ ...options, home: makeDirectory() })
    const answer = await toolkeep.session("demo").call("shell.exec", { command: "echo one" })
    expect(answer.ok).toBe(true)
  }
  await using toolkeep = await openToolkeep({ ...options, home: makeDirectory() })
  const entries = await (await toolkeep.recorded("demo"))?.entries()
  expect(entries?.map(({ kind }) => kind)).toEqual(["call", "envelope"])
  expect(await toolkeep.recorded("other")).toBe(null)
})

it("F20: a program records over a pool that it has", async () => {
  const url = await server().createDatabase()
  const pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const home = makeDirectory()
  await using toolkeep = await openToolkeep({ host: "memory", record: { pool }, home })
  await toolkeep.session("demo").call("shell.exec", { command: "echo one" })
  const { rows } = await pool.query("SELECT name, head FROM toolkeep.sessions")
  expect(rows).toEqual([{ name: "demo", head: 2 }])
})

it("O8, C11: what is wrong with the store is one sentence without a secret, whatever the command", async () => {
  const url = await server().createDatabase()
  const wrong = url.replace(encodeURIComponent(password), "wr0ng-secret")
  const cases: readonly (readonly [string, NodeJS.ProcessEnv, RegExp])[] = [
    [
      fromEnvironment,
      { DATABASE_URL: wrong },
      /does not accept the password of the user "toolkeep"/,
    ],
    [`store: ${wrong}\n`, {}, /does not accept the password of the user "toolkeep"/],
    [
      fromEnvironment,
      { DATABASE_URL: undefined },
      /store needs the environment variable DATABASE_URL, which is not set\./,
    ],
    [
      "store: mysql://u:wr0ng-secret@h/d\n",
      {},
      /toolkeep\.yaml, line 1: store does not have the form that it must have\./,
    ],
  ]
  const commands = [
    ["sessions", "list"],
    ["approve"],
    ["run", "Go.", "--host", "memory", "--model", "http://127.0.0.1:9/v1#test"],
    ["up", "--host", "memory", "--port", "0"],
  ]
  for (const [yaml, environment, sentence] of cases) {
    const machine = makeMachine(yaml, environment)
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await runCli(command, machine)
      expect({ exitCode: exitCode !== 0, stdout }).toEqual({ exitCode: true, stdout: "" })
      expect(stderr).toMatch(/^toolkeep: [^\n]+\n$/)
      expect(stderr).toMatch(sentence)
      expect(stderr).not.toContain("wr0ng-secret")
    }
  }
})

it("C11: without pg it is one sentence with the command that installs it", async () => {
  const directory = makeDirectory()
  cpSync(join(builtPackage, "dist"), join(directory, "dist"), { recursive: true })
  cpSync(join(builtPackage, "package.json"), join(directory, "package.json"))
  mkdirSync(join(directory, "node_modules"))
  const installed = join(repositoryRoot, "node_modules")
  for (const name of readdirSync(installed).filter((one) => one !== "pg")) {
    symlinkSync(join(installed, name), join(directory, "node_modules", name))
  }
  const machine = makeMachine("store: postgres://127.0.0.1/toolkeep\n")
  const main = join(directory, "dist/cli/main.js")
  expect(await runCli(["sessions", "list"], { ...machine, main })).toEqual({
    ...{ exitCode: 1, stdout: "" },
    stderr: "toolkeep: A record in PostgreSQL needs pg: run `npm install pg@8`.\n",
  })
})
