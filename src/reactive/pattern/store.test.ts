import { spawnSync } from "node:child_process"
import { mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { scriptedSession } from "../../../test/support/reactive/scripted-session.ts"
import { ownerOf } from "../../node/index.ts"
import {
  type Async,
  computed,
  type ExecResult,
  exec,
  handler,
  NAME,
  pattern,
  run,
  sandbox,
  Writable,
} from "../index.ts"

/** A run that was refused has given its store back. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe("a store", () => {
  const notes = pattern<
    { code: string },
    {
      list: Writable<string[]>
      add: ReturnType<typeof handler<string>>
      one: Async<ExecResult>
      two: Async<ExecResult>
    }
  >(({ code }) => {
    const list = Writable.of<string[]>([])
    const one = exec({ command: code })
    const two = sandbox().exec(computed(() => `after ${one.result?.stdout}`))
    return { list, one, two, add: handler<string>((text) => list.push(text)) }
  })

  async function place(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-store-"))
    onTestFinished(() => rm(directory, { recursive: true }))
    return join(directory, "notes.json")
  }

  it("a restart finds writables, inputs and results, and runs nothing", async () => {
    const store = await place()
    {
      const script = scriptedSession()
      await using running = run(notes, { code: "a" }, { ...script, store })
      running.inputs.code.set("b")
      await running.out.add.send("kept")
      await script.finish("b", "B")
      await script.finish("after B", "done")
    }
    const script = scriptedSession()
    await using running = run(notes, { code: "a" }, { ...script, store })
    expect(running.inputs.code.get()).toBe("b")
    expect(running.out.list.get()).toEqual(["kept"])
    expect([running.out.one.result?.stdout, running.out.two.result?.stdout]).toEqual(["B", "done"])
    await running.settled()
    expect(script.calls).toEqual([])
    // What the program gives differently than before counts.
    await running.dispose()
    await using changed = run(notes, { code: "c" }, { ...script, store })
    expect(changed.inputs.code.get()).toBe("c")
    expect(changed.out.list.get()).toEqual(["kept"])
    await script.command("c")
  })

  it("what is not a file is refused in a sentence, and nobody waits for the other side of a pipe", async () => {
    const store = await place()
    spawnSync("mkfifo", [store])
    expect(() => run(notes, { code: "a" }, { ...scriptedSession(), store })).toThrow(
      /can't be read: it is not a file\.$/,
    )
    await settle()
    for (const file of ["/dev/zero", "/proc"]) {
      await rm(store, { force: true })
      await symlink(file, store)
      expect(() => run(notes, { code: "a" }, { ...scriptedSession(), store })).toThrow(
        /can't be read: it is not a file\.$/,
      )
      await settle()
    }
    await rm(store)
    await writeFile(store, "")
    await truncate(store, 2 ** 40)
    expect(() => run(notes, { code: "a" }, { ...scriptedSession(), store })).toThrow(
      /can't be read: it is too large\.$/,
    )
    await settle()
    await rm(store)
    spawnSync("mkfifo", [`${store}.owner`])
    expect(() => run(notes, { code: "a" }, { ...scriptedSession(), store })).toThrow(
      /can't be used: it is not a file\.$/,
    )
  })

  it("one of a newer version, or of something else, is refused in a sentence and left as it is", async () => {
    const store = await place()
    for (const [text, message] of [
      ['{"version":2,"state":{}}', /newer Toolkeep \(its version is 2, this one reads 1\)/],
      ['{"some":"file"}', /is not one of a pattern, or is damaged/],
      ['{"version":1,"state":{"id":"x","writables":[]}}', /is not one of a pattern, or is damaged/],
      ["null", /is not one of a pattern/],
      ['{"version":1,', /can't be read/],
    ] as const) {
      await writeFile(store, text)
      expect(() => run(notes, { code: "a" }, { ...scriptedSession(), store })).toThrow(message)
      expect(await readFile(store, "utf8")).toBe(text)
    }
  })

  it("one of another pattern is refused in a sentence and left as it is; one whose title was edited is not", async () => {
    const store = await place()
    const titled = (title: string) =>
      pattern<{ code: string }, { list: Writable<string[]> }>(({ code }) => {
        const list = Writable.of<string[]>([])
        exec({ command: code, when: false })
        return { [NAME]: title, list }
      })
    {
      await using running = run(titled("Notes"), { code: "a" }, { ...scriptedSession(), store })
      running.out.list.push("kept")
    }
    const before = await readFile(store, "utf8")
    const timer = pattern<{ seconds: number }>(({ seconds }) => ({ [NAME]: "Timer", seconds }))
    const options = { ...scriptedSession(), store }
    expect(() => run(timer, { seconds: 1 }, options)).toThrow(/is of the pattern "Notes"/)
    const unnamed = pattern<{ seconds: number }>(({ seconds }) => ({ seconds }))
    await settle()
    expect(() => run(unnamed, { seconds: 1 }, options)).toThrow(/is of the pattern "Notes"/)
    await settle()
    expect(await readFile(store, "utf8")).toBe(before)
    await using edited = run(titled("My notes"), { code: "a" }, options)
    expect(edited.out.list.get()).toEqual(["kept"])
  })

  it("a value of another kind than the body has now is not taken from it", async () => {
    const store = await place()
    const holding = <T>(initial: T) =>
      pattern<object, { value: Writable<T> }>(() => ({ value: Writable.of<T>(initial) }))
    {
      await using running = run(holding("text"), {}, { ...scriptedSession(), store })
      running.out.value.set("other text")
    }
    await using running = run(holding<number[]>([]), {}, { ...scriptedSession(), store })
    expect(running.out.value.get()).toEqual([])
  })

  it("what JSON does not hold as it is starts as the body says, and the rest is kept", async () => {
    const store = await place()
    const holding = pattern<object, { odd: Writable<unknown>; plain: Writable<unknown> }>(() => ({
      odd: Writable.of<unknown>(new Map([["a", 1]])),
      plain: Writable.of<unknown>(null),
    }))
    const odd = [new Map([["b", 2]]), new Set([1]), new Date(0), Number.NaN, [{ at: new Date(0) }]]
    for (const value of odd) {
      {
        await using running = run(holding, {}, { ...scriptedSession(), store })
        running.out.odd.set(value)
        running.out.plain.set({ list: [1, "a", null], none: undefined })
      }
      await using running = run(holding, {}, { ...scriptedSession(), store })
      expect(running.out.odd.get()).toEqual(new Map([["a", 1]]))
      expect(running.out.plain.get()).toEqual({ list: [1, "a", null] })
    }
  })

  it("two runs at once are refused in a sentence; one that a process left when it died is taken", async () => {
    const store = await place()
    const script = scriptedSession()
    const first = run(notes, { code: "a" }, { ...script, store })
    expect(() => run(notes, { code: "a" }, { ...script, store })).toThrow(
      new RegExp(
        `is in use by a pattern that runs \\(process ${process.pid}\\): end that one first`,
      ),
    )
    await script.finish("a", "A")
    await first.dispose()
    await writeFile(`${store}.owner`, "another start:1:1:1")
    expect(() => run(notes, { code: "a" }, { ...script, store })).toThrow(/another machine/)
    const [boot, namespace] = ownerOf(process.pid).split(":")
    const { pid } = spawnSync("true")
    await writeFile(`${store}.owner`, `${boot}:${namespace}:${pid}:1:-`)
    await using again = run(notes, { code: "a" }, { ...script, store })
    expect(again.out.one.result?.stdout).toBe("A")
  })

  it("one that can't be written to is refused in a sentence", () => {
    const store = "/proc/nothing/notes.json"
    expect(() => run(notes, { code: "a" }, { ...scriptedSession(), store })).toThrow(
      /The store "\/proc\/nothing\/notes.json" can't be used: /,
    )
  })
})
