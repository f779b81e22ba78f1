import { describe, expect, it } from "vitest"
import { previewLabel, requestedLabel } from "./preview-table.ts"

const label = (sandbox: string, session: string, port = 8000) =>
  previewLabel({ sandbox, session, port })

describe("the name of a preview", () => {
  it("C6: is port, sandbox and session where those are plain", () => {
    expect(label("backend", "demo")).toBe("8000-backend-demo")
    expect(label("default", "my-first-session", 80)).toBe("80-default-my-first-session")
  })

  it("C6: has a digest where it would not be one label, or could mean another place", () => {
    expect(label("a_b", "demo")).toMatch(/^8000-a-b-demo--[0-9a-f]{16}$/)
    expect(label("front-end", "demo")).toMatch(/^8000-front-end-demo--[0-9a-f]{16}$/)
    expect(label("web", "Ünï/../x y")).toMatch(/^8000-web-n-x-y--[0-9a-f]{16}$/)
    expect(label("web", "…")).toMatch(/^8000-web--[0-9a-f]{16}$/)
    expect(label("w".repeat(63), "s".repeat(500))).toMatch(/^8000-w{40}--[0-9a-f]{16}$/)
  })

  it("C6: is another one for every place, and always one label", () => {
    const names = ["a", "a-b", "b", "a_b", "a--b", "b-c", "c", "A", "a-", "-", "é", "x".repeat(70)]
    const labels = names.flatMap((sandbox) => names.map((session) => label(sandbox, session)))
    expect(new Set(labels).size).toBe(labels.length)
    expect(
      labels.filter((one) => !/^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(one)),
    ).toEqual([])
  })

  it("C6: is read from a Host header only where that is nothing but one", () => {
    expect(requestedLabel("8000-web-demo.localhost:4321")).toBe("8000-web-demo")
    expect(requestedLabel("8000-WEB-demo.LocalHost.")).toBe("8000-web-demo")
    const others = ["", "localhost", "127.0.0.1:80", "a.b.localhost", "a.localhost.evil.com"]
    const odd = ["a.localhost:80@evil.com", "a.localhost ", "a.localhost:80:80", "xlocalhost"]
    expect([...others, ...odd].map(requestedLabel).filter((found) => found !== null)).toEqual([])
  })
})
