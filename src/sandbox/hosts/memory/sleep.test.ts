import { afterAll, beforeAll, expect, it } from "vitest"
import type { Workspace } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { memoryHost } from "./memory-host.ts"

let sandbox: Sandbox
let workspace: Workspace
beforeAll(async () => {
  sandbox = await memoryHost({ threads: 1 }).create({ name: "default" })
  workspace = createWorkspace(sandbox)
})
afterAll(() => sandbox.destroy())

const asleep = { kind: "unavailable", message: "The sandbox went to sleep." }

it("C18.wake: sleep ends what runs and what waits, keeps the files, and the next use wakes it", async () => {
  await workspace.writeFile("kept", "kept")
  const calls = [
    workspace.exec("echo > started; sleep 100"),
    workspace.exec("echo waited > second"),
  ]
  const answers = Promise.allSettled(calls)
  while (!(await workspace.exists("started"))) await new Promise((go) => setTimeout(go, 5))
  await sandbox.sleep()
  for (const answer of await answers) {
    expect(answer).toMatchObject({ status: "rejected", reason: asleep })
  }
  expect(await workspace.readFile("kept")).toBe("kept")
  expect(await workspace.exists("second")).toBe(false)
  expect((await workspace.exec("cat kept")).stdout).toBe("kept")
})

it("C18: a sandbox can sleep twice, unused, and while a thread starts", async () => {
  await sandbox.sleep()
  await sandbox.sleep()
  const starting = workspace.exec("true")
  const answer = expect(starting).rejects.toMatchObject(asleep)
  await sandbox.sleep()
  await answer
  expect((await workspace.exec("exit 3")).exitCode).toBe(3)
})

it("F15: bash is the one language, run with the code as its argument", async () => {
  const result = await workspace.runCode("bash", "echo \"$((6 * 7))\" '$HOME'; exit 4")
  expect([result.stdout, result.exitCode]).toEqual(["42 $HOME\n", 4])
  await expect(workspace.runCode("python", "print(1)")).rejects.toMatchObject({
    kind: "invalid_args",
    expected: "bash",
  })
})
