import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bubblewrapHost, createPool, createWorkspace } from "../../src/sandbox/index.ts"
import { openDocker } from "../engine/docker-fixture.ts"
import { controlGroups, countProcesses, killOnceReady, openMcpFixture } from "./fault-ground.ts"

const sandboxUrl = new URL("../../src/sandbox/index.ts", import.meta.url).href

/** Fifty commands that write on and would never end, in a sandbox that is kept. */
const fifty = `
  const [url, hostOf, session] = process.argv.slice(1)
  const { createPool, bubblewrapHost, dockerHost } = await import(url)
  const [kind, options] = JSON.parse(hostOf)
  const host = kind === "docker" ? dockerHost(options) : bubblewrapHost(options)
  const pool = createPool(host, { directory: session })
  const workspace = await pool.workspace("busy")
  await workspace.writeFile("before.txt", "before")
  let started = 0
  for (let number = 0; number < 50; number += 1) {
    const command = \`echo \${number} >> log.\${number}; echo started; while :; do echo \${number} >> log.\${number}; sleep 0.0\${number}1; done # toolkeep-fifty\`
    void workspace.exec(["bash", "-c", command], {
      onOutput: () => { started += 1; if (started === 50) console.log("all run") },
    })
  }
  await new Promise(() => {})
`

describe("kill -9 of Toolkeep in the middle of 50 commands", () => {
  it("O29, C18: on bubblewrap leaves no process and no control group, and loses no file", async () => {
    const directory = openMcpFixture()
    const place = join(directory, "bubblewrap")
    const host = JSON.stringify(["bubblewrap", { directory: place }])
    await killOnceReady(fifty, [sandboxUrl, host, join(directory, "session")])
    await expect.poll(() => countProcesses("toolkeep-fifty")).toBe(0)

    const pool = createPool(bubblewrapHost({ directory: place }), {
      directory: join(directory, "session"),
    })
    const workspace = await pool.workspace("busy")
    expect(await workspace.readFile("before.txt")).toBe("before")
    expect((await workspace.readdir(".")).length).toBe(51)
    const whole = await workspace.exec(
      'for n in log.*; do grep -vx "$(echo "$n" | cut -c5-)" "$n"; done; true',
    )
    expect(whole.stdout).toBe("")
    await pool.destroy()
    expect(readdirSync(place)).toEqual(["shared"])
    expect(controlGroups(place)).toEqual([])
  })

  it("O29, Y16: on docker leaves no container, and loses no file", async () => {
    await using docker = await openDocker()
    const session = join(openMcpFixture(), "session")
    const host = JSON.stringify(["docker", docker.options()])
    await killOnceReady(fifty, [sandboxUrl, host, session])
    await expect.poll(() => countProcesses("toolkeep-fifty")).toBe(0)

    const pool = createPool(docker.host(), { directory: session })
    const workspace = await pool.workspace("busy")
    expect(await workspace.readFile("before.txt")).toBe("before")
    expect((await workspace.readdir(".")).length).toBe(51)
    expect(await docker.countContainers()).toBe(1)
    await pool.destroy()
    expect(await docker.countContainers()).toBe(0)
  })
})

describe("kill -9 of the agent inside", () => {
  it("F18: answers each of 50 commands, ends their processes, and the next command works", async () => {
    const sandbox = await bubblewrapHost({ directory: openMcpFixture() }).create({ name: "killed" })
    const workspace = createWorkspace(sandbox)
    await workspace.writeFile("kept.txt", "kept")
    let started = 0
    const started50 = Promise.withResolvers<void>()
    const commands = Array.from({ length: 50 }, () =>
      workspace.exec(["bash", "-c", "echo started; exec sleep 4000123"], {
        onOutput: () => {
          started += 1
          if (started === 50) started50.resolve()
        },
      }),
    )
    const answers = Promise.allSettled(commands)
    await started50.promise
    // Which is the parent of everything else inside.
    void workspace.exec("kill -9 $(ps -o pid= -C bash --ppid 1 | head -1)").catch(() => {})
    const ends = await answers
    expect(ends.map(({ status }) => status)).toEqual(Array(50).fill("rejected"))
    await expect.poll(() => countProcesses("4000123")).toBe(0)
    expect(await workspace.readFile("kept.txt")).toBe("kept")
    await sandbox.destroy()
  })
})
