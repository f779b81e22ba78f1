import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryHome } from "../../../../test/support/mcp/bridge-fixture.ts"
import { approvalsIn } from "./approvals.ts"

const module = new URL("./approvals.ts", import.meta.url).href

/** Another process that approves tools of its own, one after the other, and sees others for the first time. */
function approver(file: string, name: string, count: number): Promise<number | null> {
  const script = `
    const { approvalsIn } = await import(${JSON.stringify(module)})
    const approvals = approvalsIn(${JSON.stringify(file)})
    const tool = (name) => ({ name, description: "Does " + name, inputSchema: { type: "object" } })
    for (let number = 0; number < ${count}; number += 1) {
      await approvals.approve("shared", [tool("${name}-" + number)])
      await approvals.changed("${name}", [tool("seen-" + number)])
    }
  `
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "inherit", "inherit"],
  })
  return new Promise((resolve) => child.on("close", resolve))
}

it("Y15: several processes that approve tools at once lose nothing", async () => {
  const file = join(await temporaryHome(), "mcp", "approved.json")
  const names = ["one", "two", "three"]
  const count = 10
  const codes = await Promise.all(names.map((name) => approver(file, name, count)))
  expect(codes).toEqual([0, 0, 0])
  const { servers } = JSON.parse(await readFile(file, "utf8"))
  const numbers = Array.from({ length: count }, (_, number) => number)
  expect(Object.keys(servers.shared).sort()).toEqual(
    names.flatMap((name) => numbers.map((number) => `${name}-${number}`)).sort(),
  )
  for (const name of names) {
    expect(Object.keys(servers[name]).sort()).toEqual(numbers.map((one) => `seen-${one}`).sort())
  }
})

it("Y15: what is new counts as seen, what differs has changed, whatever a tool is called", async () => {
  const approvals = approvalsIn(join(await temporaryHome(), "mcp", "approved.json"))
  const tool = (name: string, description: string) =>
    ({ name, description, inputSchema: { type: "object" } }) as const
  const names = ["echo", "__proto__", "constructor"]
  const first = names.map((name) => tool(name, "First."))
  const later = names.map((name) => tool(name, "Later."))
  expect(await approvals.changed("a", first)).toEqual(new Set())
  expect(await approvals.changed("a", later)).toEqual(new Set(names))
  expect(await approvals.changed("b", later)).toEqual(new Set())
  await approvals.approve("a", later)
  expect(await approvals.changed("a", later)).toEqual(new Set())
})
