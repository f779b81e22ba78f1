import { describe, expect, it } from "vitest"
import { examineEngine } from "./examine-engine.ts"

const able = {
  SecurityOptions: ["name=seccomp,profile=default"],
  MemoryLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
}

describe("which engines a sandbox can have", () => {
  it("O30, Y16: an engine that can't keep a limit is refused by the limit's name", () => {
    expect(() => examineEngine(able, "linux")).not.toThrow()
    const weak = { ...able, PidsLimit: false, MemoryLimit: false }
    expect(() => examineEngine(weak, "linux")).toThrow(
      "The container engine can't hold a container to limits here: memory, processes. Use another host.",
    )
  })

  it("Y16: an engine on another system, or one that maps users, is refused", () => {
    expect(() => examineEngine(able, "darwin")).toThrow("only an engine on this Linux has")
    for (const option of ["name=rootless", "name=userns"]) {
      const mapped = { ...able, SecurityOptions: [option] }
      expect(() => examineEngine(mapped, "linux")).toThrow("maps users to others")
    }
  })
})
