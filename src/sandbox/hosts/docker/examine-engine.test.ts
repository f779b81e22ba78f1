import { hostname } from "node:os"
import { describe, expect, it } from "vitest"
import { examineEngine, isNamedAsHere, mapsUsers, runsOurPrograms } from "./examine-engine.ts"

const able = {
  SecurityOptions: ["name=seccomp,profile=default"],
  MemoryLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
}

describe("which engines a sandbox can have", () => {
  it("O30, Y16: an engine that can't keep a limit is refused by the limit's name", () => {
    expect(() => examineEngine(able)).not.toThrow()
    const weak = { ...able, PidsLimit: false, MemoryLimit: false }
    expect(() => examineEngine(weak)).toThrow(
      "The container engine can't hold a container to limits here: memory, processes. Use another host.",
    )
  })

  it("Y16: an engine that maps users, or has another name or processor, is told apart", () => {
    expect(mapsUsers(able)).toBe(false)
    for (const option of ["name=rootless", "name=userns"]) {
      expect(mapsUsers({ ...able, SecurityOptions: [option] })).toBe(true)
    }
    expect(isNamedAsHere({ Name: hostname() })).toBe(true)
    expect(isNamedAsHere({ Name: "docker-desktop" })).toBe(false)
    expect(runsOurPrograms({ Architecture: "riscv64" })).toBe(false)
  })
})
