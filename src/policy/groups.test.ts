import { describe, expect, it } from "vitest"
import { createPolicy } from "./index.ts"

const none = { groups: [], effects: [] } as const

function denies(group: string, groups: Record<string, readonly string[]> = {}) {
  const policy = createPolicy({
    tools: { policy: "full", groups },
    providers: { p: { deny: [`group:${group}`] } },
  })
  return (name: string, declared: readonly string[] = []) =>
    !policy.shows({ ...none, name, groups: declared }, { provider: "p" })
}

describe("groups", () => {
  it.each([
    ["fs", ["file.read", "file.edit"], ["files.read", "web.fetch"]],
    ["runtime", ["shell.exec", "process.kill", "code.run"], ["file.read", "system.info"]],
    ["web", ["web.fetch", "browser.navigate"], ["file.read", "webhook.send"]],
    ["memory", ["memory.search"], ["file.read"]],
  ])(
    "Y7.fs, Y7.runtime, Y7.web, Y7.memory: group:%s holds its families by name",
    (group, inside, outside) => {
      const isDenied = denies(group)
      expect(inside.map((name) => isDenied(name))).toEqual(inside.map(() => true))
      expect(outside.map((name) => isDenied(name))).toEqual(outside.map(() => false))
    },
  )

  it("Y7: a tool belongs to the groups that it declares", () => {
    expect(denies("runtime")("deploy.run", ["runtime"])).toBe(true)
    expect(denies("runtime")("deploy.run", ["fs"])).toBe(false)
  })

  it("Y7: a policy adds groups, and adds to the built-in ones without taking away", () => {
    const isDenied = denies("deploy", { deploy: ["git.*", "shell.exec"] })
    expect(["git.push", "shell.exec", "shell.run"].map((name) => isDenied(name))).toEqual([
      true,
      true,
      false,
    ])
    const isFile = denies("fs", { fs: ["mcp:disk:*"] })
    expect(["mcp:disk:read", "file.read"].map((name) => isFile(name))).toEqual([true, true])
  })

  it("Y7: a group that only tools declare is named with an empty list", () => {
    expect(denies("paid", { paid: [] })("image.make", ["paid"])).toBe(true)
    expect(() => denies("paid")).toThrow(
      'providers.p.deny[0] names the group "paid", which is not known; define it under tools.groups, beside fs, runtime, web, memory.',
    )
  })

  it("Y7: a misspelt group is an error, since it would deny nothing", () => {
    expect(() => denies("runtme")).toThrow(
      'providers.p.deny[0] names the group "runtme", which is not known; did you mean "group:runtime"?',
    )
  })

  it("Y7: a group lists tools, not groups", () => {
    expect(() => denies("all", { all: ["file.*", "group:web"] })).toThrow(
      "tools.groups.all[1] is a group; a group lists tools and patterns.",
    )
  })
})
