import { describe, expect, it } from "vitest"
import { directoryOf, pathIn, textOf, trailOf } from "./sandbox-facts.ts"

describe("paths of a sandbox in the console", () => {
  it("X7: lead from directory to directory, in the home and at the root", () => {
    expect(pathIn(".", "src")).toBe("src")
    expect(pathIn("src", "main.ts")).toBe("src/main.ts")
    expect(pathIn("/", "tmp")).toBe("/tmp")
    expect(directoryOf("src/main.ts")).toBe("src")
    expect(directoryOf("main.ts")).toBe(".")
    expect(directoryOf("/tmp")).toBe("/")
    expect(trailOf("/tmp/a").map(({ path }) => path)).toEqual(["/", "/tmp", "/tmp/a"])
    expect(trailOf("src").map(({ path }) => path)).toEqual([".", "src"])
    expect(trailOf(".").map(({ name }) => name)).toEqual(["home"])
  })

  it("X7: only text is shown", () => {
    expect(textOf(new TextEncoder().encode("héllo"))).toBe("héllo")
    expect(textOf(new Uint8Array([65, 0, 66]))).toBeNull()
    expect(textOf(new Uint8Array([0xff, 0xfe, 65]))).toBeNull()
  })
})
