import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bubblewrapHost, createPool, createWorkspace } from "../../src/sandbox/index.ts"
import { controlGroups, openMcpFixture } from "./fault-ground.ts"

describe("crowds", () => {
  it("C1, C18: 200 sandboxes made and destroyed at once all answer, and leave nothing", async () => {
    const place = join(openMcpFixture(), "bubblewrap")
    await using pool = createPool(bubblewrapHost({ directory: place }), { sandboxes: 200 })
    const names = Array.from({ length: 200 }, (_, number) => `sandbox-${number}`)
    const answers = await Promise.all(
      names.map(async (name) => {
        const workspace = await pool.workspace(name)
        await workspace.writeFile("name.txt", name)
        const { stdout } = await workspace.exec("cat name.txt")
        await pool.destroySandbox(name)
        return stdout
      }),
    )
    expect(answers).toEqual(names)
    expect(pool.list()).toEqual([])
    expect(readdirSync(place)).toEqual(["shared"])
    expect(controlGroups(place)).toEqual([])
  })

  it("F18, O24: 1,000 commands at once in one sandbox each get their own answer", async () => {
    const sandbox = await bubblewrapHost({ directory: openMcpFixture() }).create({
      name: "crowded",
    })
    const workspace = createWorkspace(sandbox)
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, number) =>
        workspace.exec(`echo out ${number}; echo err ${number} >&2; exit $(( ${number} % 7 ))`),
      ),
    )
    const wrong = answers.filter(
      ({ stdout, stderr, exitCode }, number) =>
        stdout !== `out ${number}\n` || stderr !== `err ${number}\n` || exitCode !== number % 7,
    )
    expect(wrong).toEqual([])
    await sandbox.destroy()
  })

  it("F18: half of 300 commands are aborted, and only those", async () => {
    const sandbox = await bubblewrapHost({ directory: openMcpFixture() }).create({
      name: "aborted",
    })
    const workspace = createWorkspace(sandbox)
    const stop = new AbortController()
    const commands = Array.from({ length: 300 }, (_, number) => {
      const odd = number % 2 === 1
      return workspace.exec(odd ? "sleep 4000000" : "sleep 0.5; echo done", {
        ...(odd && { signal: stop.signal }),
      })
    })
    const ends = Promise.allSettled(commands)
    setTimeout(() => stop.abort(new Error("enough")), 200)
    const answers = (await ends).map((end) =>
      end.status === "fulfilled" ? end.value.stdout : String(end.reason.message),
    )
    expect(new Set(answers.filter((_, number) => number % 2 === 0))).toEqual(new Set(["done\n"]))
    expect(new Set(answers.filter((_, number) => number % 2 === 1))).toEqual(new Set(["enough"]))
    // On a busy machine what was killed takes its time to be gone.
    const left = () => workspace.exec("ps ax | grep -c '[s]leep 4000000'")
    await expect.poll(async () => (await left()).stdout).toBe("0\n")
    await sandbox.destroy()
  })
})
