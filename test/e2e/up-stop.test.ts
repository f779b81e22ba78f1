import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, it } from "vitest"
import { visibleProcesses } from "../mcp/visible-processes.ts"
import { commandLine } from "../support/built-package.ts"
import { startServer } from "./start-server.ts"

/** `toolkeep up`, with a process in the background, and then with a call under way. */
async function startBusy(number: number) {
  const up = await startServer(process.execPath, [
    commandLine,
    "up",
    "--port",
    "0",
    "--results",
    "both",
  ])
  const { url, token } = await up.ready()
  const client = new Client({ name: "busy", version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const run = (input: object) => client.callTool({ name: "shell_exec", arguments: { ...input } })
  const background = `sleep ${number}.${process.pid}`
  expect(await run({ command: background, background: true })).toMatchObject({ isError: false })
  const isLeft = async () => (await visibleProcesses()).includes(background)
  /** Resolves when the call is under way, with what will be its answer. */
  const call = async (command: string) => {
    const answer = run({ command: `${command}; echo done` }).catch((error) => error)
    await expect.poll(async () => (await visibleProcesses()).includes(command)).toBe(true)
    return { answer }
  }
  return { up, url, client, call, isLeft }
}

it("F20: told to stop, it answers calls that end soon, exits with 0, and leaves no process, sandbox or socket; told twice, it leaves at once", async () => {
  const [patient, hasty] = await Promise.all([startBusy(8101), startBusy(8102)])
  await hasty.call(`sleep 900.${process.pid}`)
  hasty.up.signal("SIGINT")
  await expect.poll(hasty.up.output).toContain("press again to exit at once")
  hasty.up.signal("SIGINT")
  expect(await hasty.up.ended).toBe(130)
  const { answer } = await patient.call(`sleep 2.${process.pid}`)
  expect(await patient.isLeft()).toBe(true)
  patient.up.signal("SIGTERM")
  expect(await answer).toMatchObject({
    structuredContent: { ok: true, result: { stdout: "done\n", exit_code: 0 } },
  })
  expect(await patient.up.ended).toBe(0)
  expect(await patient.isLeft()).toBe(false)
  const sandboxes = await readdir(join(patient.up.home, "bubblewrap"))
  expect(sandboxes.filter((name) => name.includes("_"))).toEqual([])
  await expect(fetch(patient.url)).rejects.toThrow()
  await expect.poll(hasty.isLeft).toBe(false)
  await Promise.all([patient.client.close(), hasty.client.close()])
})
