import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { processesWith } from "../../../test/support/processes-with.ts"
import { workLimits } from "../limits.ts"
import { createWorkPool, openSessionWork, type WorkKind, type WorkPool } from "./session-work.ts"

const kind: WorkKind<string, unknown> = {
  file: new URL("../../../test/support/tools/work-fixture.ts", import.meta.url),
  memoryBytes: 256 * 1024 ** 2,
}
const { signal } = new AbortController()

/** The work of one session, which is closed after the test. */
function openWork(pool: WorkPool = createWorkPool()) {
  const closers: (() => Promise<void>)[] = []
  const session = openSessionWork(pool, "test", (close) => closers.push(close))
  const close = async () => {
    await Promise.all(closers.splice(0).map((one) => one()))
  }
  onTestFinished(close)
  const ask = async (request: string, given: { signal?: AbortSignal; ms?: number } = {}) =>
    (await session.ask(kind, request, { signal, ...given })).value
  return { session, ask, close }
}

it("C18: a process is started once, and answers or refuses each request", async () => {
  const { session, ask } = openWork()
  const bytes = Uint8Array.from([1, 2, 3])
  const first = await ask("pid")
  expect(await session.ask(kind, "a", { bytes, signal })).toEqual({
    value: "heard a and 3 bytes",
    bytes: Uint8Array.from([3, 2, 1]),
  })
  const large = new Uint8Array(20_000_000).fill(7)
  expect((await session.ask(kind, "b", { bytes: large, signal })).bytes).toHaveLength(large.length)
  await expect(ask("refuse")).rejects.toMatchObject({ kind: "invalid_args", field: "path" })
  expect(await ask("pid")).toBe(first)
})

it("C18: work that loops, waits, exits, crashes or fills its memory fails by itself and nothing else does", async () => {
  const { ask } = openWork()
  const fails: [string, { ms?: number }, object][] = [
    ["loop", { ms: 300 }, { kind: "timeout", message: expect.stringContaining("was ended") }],
    ["regex", { ms: 300 }, { kind: "timeout" }],
    ["wait", { ms: 300 }, { kind: "timeout" }],
    ["exit", {}, { kind: "execution_error", message: expect.stringContaining("code 3") }],
    ["crash", {}, { kind: "execution_error", message: expect.stringContaining("has ended") }],
    ["fill", {}, { message: expect.stringContaining("more memory than it may use") }],
    ["buffers", {}, { message: expect.stringContaining("more memory than it may use") }],
  ]
  // Warm before, so that the time is the work's own.
  for (const [request, given, failure] of fails) {
    expect(await ask("a")).toBe("heard a and 0 bytes")
    await expect(ask(request, given), request).rejects.toMatchObject(failure)
  }
  expect(await ask("b")).toBe("heard b and 0 bytes")
})

it("C18: an aborted request ends its work, and closing ends what runs and what waits", async () => {
  const { ask, close } = openWork()
  await ask("a")
  const aborted = ask("loop", { signal: AbortSignal.timeout(200) })
  await expect(aborted).rejects.toMatchObject({ name: "TimeoutError" })
  const left = Array.from({ length: workLimits.runningEach + 1 }, () => ask("loop"))
  const ended = left.map((one) => expect(one).rejects.toThrow("The session is closed."))
  await close()
  await Promise.all(ended)
})

it("C18: work that is given up while its process starts leaves no process behind", async () => {
  // Nobody else's processes have this number among their arguments.
  const mark = kind.memoryBytes + process.pid
  const pool = createWorkPool()
  const sessions = Array.from({ length: workLimits.running * 2 }, () => openWork(pool).session)
  const asked = sessions.map((session, index) => {
    const marked = { ...kind, memoryBytes: mark }
    return session.ask(marked, "a", { signal: AbortSignal.timeout(3 + index * 4) })
  })
  const ended = await Promise.allSettled(asked)
  expect(ended.some(({ status }) => status === "rejected")).toBe(true)
  await Promise.all(sessions.map((session) => pool.warm.endAll(session)))
  await expect.poll(() => processesWith(String(mark)), { timeout: 30_000 }).toEqual([])
})

it("C18: work sees no file, process, network, environment or user of this machine, whoever runs Toolkeep", async () => {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-work-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const canary = join(directory, "canary")
  writeFileSync(canary, "the canary's words")
  const server = createServer().listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as { port: number }
  const { ask } = openWork()
  expect(await ask(`look ${canary}`)).toMatchObject({
    environment: expect.not.arrayContaining(["PATH", "HOME", "TOOLKEEP_HOME"]),
    user: 1000,
    files: [],
    canary: "ENOENT",
    write: expect.stringMatching(/^(ENOENT|EROFS)$/),
    processes: expect.toSatisfy((count: number) => count <= 3),
  })
  expect(await ask(`connect ${port}`)).toBe("ECONNREFUSED")
})

/** Asks for what a process holds open, and prints it. */
const lookingProgram = `
  import { createWorkPool, openSessionWork } from ${JSON.stringify(new URL("./session-work.ts", import.meta.url))}
  const session = openSessionWork(createWorkPool(), "test", () => {})
  const kind = { file: new URL(${JSON.stringify(kind.file)}), memoryBytes: ${kind.memoryBytes} }
  const { signal } = new AbortController()
  const { value } = await session.ask(kind, "look /nowhere", { signal })
  console.log(JSON.stringify(value.files))`

it("C18: a file that was left open for Toolkeep is not open in its work", async () => {
  const start = `exec 200<"$1"; exec "$0" --input-type=module -e "$2"`
  const given = ["-c", start, process.execPath, import.meta.filename, lookingProgram]
  const { stdout } = await promisify(execFile)("bash", given)
  expect(stdout).toBe("[]\n")
})

it("C18: where the better ways to start work do not work, it is started as plainly as needed", async () => {
  const pool = createWorkPool()
  const { ask } = openWork(pool)
  while (pool.ways.length > 1) pool.ways.shift()
  expect(await ask("look /nowhere")).toMatchObject({ environment: [] })
  await expect(ask("loop", { ms: 300 })).rejects.toMatchObject({ kind: "timeout" })
  await expect(ask("buffers")).rejects.toThrow("more memory than it may use")
})
