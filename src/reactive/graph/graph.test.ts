import { effect } from "@preact/signals-core"
import { describe, expect, it } from "vitest"
import { computed, handler, lift, type Ref, Writable } from "../index.ts"

/** What an observer of a value sees, one entry for each time that it is informed. */
function seen<T>(ref: Ref<T>): T[] {
  const all: T[] = []
  effect(() => {
    all.push(computed(() => ref.get()).get())
  })
  return all
}

describe("computed and lift", () => {
  it("C20.parts: computed follows what it reads, and lift is a function of references", () => {
    const first = Writable.of(2)
    const product = lift((a: number, b: { readonly by: number }) => a * b.by)(first, { by: first })
    const shown = computed(() => `= ${product.get()}`)
    expect(shown.get()).toBe("= 4")
    first.set(3)
    expect(shown.get()).toBe("= 9")
  })

  it("a diamond is evaluated once for each change, and never with half of it", () => {
    const source = Writable.of(1)
    const left = computed(() => source.get() + 1)
    const right = computed(() => source.get() * 10)
    let count = 0
    const joined = computed(() => {
      count += 1
      return [left.get(), right.get()]
    })
    const all = seen(joined)
    source.set(2)
    source.set(3)
    expect(all).toEqual([
      [2, 10],
      [3, 20],
      [4, 30],
    ])
    expect(count).toBe(3)
  })

  it("properties are values inside computed and outside of patterns, and `then` is never one", async () => {
    const user = Writable.of({ name: "Ada", tags: ["a", "b"] })
    expect(computed(() => user.name.length).get()).toBe(3)
    expect(user.tags).toEqual(["a", "b"])
    expect(Reflect.get(user, "then")).toBe(undefined)
    expect(await Promise.resolve(user)).toBe(user)
    expect(`${computed(() => user.name)}`).toBe("Ada")
    expect(JSON.stringify({ name: computed(() => user.name) })).toBe('{"name":"Ada"}')
  })

  it("a value that depends on itself is an error with a sentence, and so is what reads it", () => {
    const one: Ref<number> = computed(() => other.get() + 1)
    const other: Ref<number> = computed(() => one.get() + 1)
    const reader = computed(() => one.get())
    expect(() => reader.get()).toThrow(/depends on itself/)
  })

  it("a chain that is too long for the stack is an error with a sentence, wherever the stack ends", () => {
    for (let more = 0; more < 5; more += 1) {
      let last: Ref<number> = Writable.of(0)
      for (let length = 0; length < 30_000 + more; length += 1) {
        const from = last
        last = computed(() => from.get() + 1)
      }
      expect(() => last.get()).toThrow(/more steps than fit on the stack/)
    }
  })

  it("what throws fails what is computed from it, until it no longer throws", () => {
    const text = Writable.of("{")
    const parsed = computed(() => JSON.parse(text.get()))
    const size = computed(() => Object.keys(parsed.get()).length)
    expect(() => size.get()).toThrow(/JSON/)
    text.set('{"a":1}')
    expect(size.get()).toBe(1)
  })
})

describe("Writable", () => {
  it("C20.parts: is read, set, updated, extended and written by key", () => {
    const state = Writable.of({ title: "A", items: [{ done: false }] })
    state.update({ title: "B" })
    state.key("items").push({ done: true })
    state.key("items").key(0).key("done").set(true)
    expect(state.get()).toEqual({ title: "B", items: [{ done: true }, { done: true }] })
    expect(state.key("items").length).toBe(2)
    state.key("title").set("C")
    expect(state.title).toBe("C")
  })

  it("says what can't be written, and that computed does not write", () => {
    const count = Writable.of<unknown>(1)
    expect(() => count.push()).toThrow(/does not hold one/)
    const writing = computed(() => count.set(2))
    expect(() => writing.get()).toThrow(/in a handler/)
    expect(count.get()).toBe(1)
  })

  it("references inside are filled in with their values", () => {
    const name = Writable.of("Ada")
    const list = Writable.of<{ name: string }[]>([])
    list.push({ name: computed(() => name.get()) }, undefined)
    expect(list.get()).toEqual([{ name: "Ada" }])
    name.set("Bob")
    expect(list.map((one) => one.name)).toEqual(["Bob"])
  })
})

describe("handler", () => {
  it("C20.parts: what it writes appears at once, also when it is async, and it sees its own writes", async () => {
    const first = Writable.of(0)
    const second = Writable.of(0)
    const both = seen(computed(() => [first.get(), second.get()]))
    const sum = computed(() => first.get() + second.get())
    const gate = Promise.withResolvers<void>()
    const sums: number[] = []
    const set = handler(async (value: number) => {
      first.set(value)
      await gate.promise
      sums.push(sum.get())
      second.set(first.get())
      sums.push(sum.get())
    })
    const done = set.send(5)
    expect(first.get()).toBe(0)
    gate.resolve()
    await done
    expect(sums).toEqual([5, 10])
    expect(both).toEqual([
      [0, 0],
      [5, 5],
    ])
  })

  it("two at once lose nothing of each other, and one that throws changes nothing", async () => {
    const list = Writable.of<string[]>([])
    const gate = Promise.withResolvers<void>()
    const add = handler<string, { list: Writable<string[]> }>(async (text, bound) => {
      bound.list.push(text)
      await gate.promise
      if (text === "bad") throw new Error("not this one")
    })
    const sent = ["a", "bad", "b"].map((text) => add({ list }).send(text))
    gate.resolve()
    const results = await Promise.allSettled(sent)
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(list.get()).toEqual(["a", "b"])
  })
})
