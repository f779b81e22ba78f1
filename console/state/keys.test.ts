import { describe, expect, it } from "vitest"
import { createKeys, type KeyBinding, keyName } from "./keys.ts"

const binding = (keys: string, more: Partial<KeyBinding> = {}): KeyBinding => {
  return { keys, does: keys, group: "Page", act: () => {}, ...more }
}

describe("the console's keys", () => {
  it("X7: two keys after each other are one binding, unless the second one is late", () => {
    const keys = createKeys()
    keys.register([binding("g n"), binding("n")])
    expect(keys.press("g", 0)).toBeNull()
    expect(keys.press("n", 1_000)?.keys).toBe("g n")
    expect(keys.press("n", 1_100)?.keys).toBe("n")
    keys.press("g", 2_000)
    expect(keys.press("n", 9_000)?.keys).toBe("n")
  })

  it("X7: the later binding counts while it can be used, and is gone when it is taken back", () => {
    const keys = createKeys()
    let isFocused = false
    keys.register([binding("a", { does: "page" })])
    const remove = keys.register([binding("a", { does: "card", when: () => isFocused })])
    expect(keys.press("a", 0)?.does).toBe("page")
    isFocused = true
    expect(keys.press("a", 0)?.does).toBe("card")
    remove()
    expect(keys.press("a", 0)?.does).toBe("page")
    expect(keys.bindings.value).toHaveLength(1)
  })

  it("X7: a held control key is part of the name, and a modifier alone has none", () => {
    const plain = { ctrlKey: false, metaKey: false, altKey: false }
    expect(keyName({ ...plain, key: "K", ctrlKey: true })).toBe("Ctrl+k")
    expect(keyName({ ...plain, key: "?" })).toBe("?")
    expect(keyName({ ...plain, key: "Shift" })).toBeNull()
    expect(keyName({ ...plain, key: "k", altKey: true })).toBeNull()
  })
})
