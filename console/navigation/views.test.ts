import { describe, expect, it } from "vitest"
import { isWithin, pathAbove, sandboxPath, sessionBeside, sessionOf } from "./views.ts"

describe("addresses of the console", () => {
  it("X7: Escape leads from a sandbox to its session, and from there to what happens now", () => {
    expect(pathAbove(sandboxPath("a/b", "default"))).toBe("/s/a%2Fb")
    expect(pathAbove("/s/demo/at/4")).toBe("/s/demo")
    expect(pathAbove("/s/demo")).toBe("/")
    expect(pathAbove("/settings")).toBe("/")
  })

  it("X7: brackets walk through the sessions in a ring", () => {
    expect(sessionBeside(["a", "b"], "b", 1)).toBe("a")
    expect(sessionBeside(["a", "b"], "a", -1)).toBe("b")
    expect(sessionBeside(["a", "b"], null, 1)).toBe("a")
    expect(sessionBeside([], null, 1)).toBeUndefined()
  })

  it("X7: only the view of an address is marked", () => {
    expect(isWithin("/b/demo/default", "/b")).toBe(true)
    expect(isWithin("/waiting", "/")).toBe(false)
    expect(sessionOf("/s/a%2Fb")).toBe("a/b")
    expect(sessionOf("/try")).toBeNull()
  })
})
