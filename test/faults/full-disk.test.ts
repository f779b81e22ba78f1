import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { bubblewrapHost, createPool } from "../../src/sandbox/index.ts"
import { openMemory } from "../../src/store/index.ts"
import { openMcpFixture } from "./fault-ground.ts"

/** A disk of its own for the test, which only root can make. */
function openDisk(megabytes: number): string {
  const directory = join(openMcpFixture(), "disk")
  mkdirSync(directory)
  const size = `size=${megabytes}m,mode=755`
  execFileSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", directory])
  onTestFinished(() => {
    execFileSync("umount", ["-l", directory])
  })
  return directory
}

describe("a full disk", () => {
  it("F18: is said in every answer, nothing hangs or is lost, and room makes everything work again", async () => {
    const disk = openDisk(40)
    const pool = createPool(bubblewrapHost({ directory: join(disk, "bubblewrap") }), {
      directory: join(disk, "session"),
    })
    const workspace = await pool.workspace("full")
    await workspace.writeFile("kept.txt", "kept")
    const process = await workspace.processes.start("sleep 4000000")
    const said = await workspace.exec("cat /dev/zero > filling").then(
      ({ stderr }) => stderr,
      ({ message }) => message,
    )
    // A slow command is ended a moment before it has taken everything; the rest is taken from outside then.
    expect(said).toMatch(/No space left|This machine's disk is nearly full/)
    spawnSync("sh", ["-c", `cat /dev/zero >${disk}/rest`])

    const large = "x".repeat(300_000)
    const answers = await Promise.allSettled([
      workspace.writeFile("kept.txt", large),
      workspace.exec("wc -c", { stdin: large }),
      workspace.exec("echo hello"),
      workspace.readFile("kept.txt"),
      pool.workspace("another").then((other) => other.exec("true")),
      workspace.processes.kill(process.id),
    ])
    for (const answer of answers) {
      if (answer.status === "fulfilled") continue
      expect(answer.reason).toMatchObject({ name: expect.stringMatching(/Failure|WorkspaceError/) })
    }
    expect(answers[0]?.status).toBe("rejected")

    // The sandbox's own command may have no room for itself, or for its answer; what frees it comes from outside then.
    await workspace
      .remove("filling")
      .catch(() => execFileSync("sh", ["-c", `rm -f ${disk}/bubblewrap/kept_*/home/filling`]))
    rmSync(join(disk, "rest"))
    // A look at the disk that began before there was room still ends what it finds.
    await expect.poll(() => workspace.readFile("kept.txt").catch(String)).toBe("kept")
    await expect.poll(() => workspace.writeFile("kept.txt", large).catch(String)).toBe(undefined)
    expect(await workspace.readFile("kept.txt")).toBe(large)
    const another = async () => (await (await pool.workspace("another")).exec("echo on")).stdout
    await expect.poll(() => another().catch(String)).toBe("on\n")
    await pool.destroy()
  })

  it("O30: a command that leaves next to nothing of it is ended, and removing files makes room again", async () => {
    const disk = openDisk(40)
    await using pool = createPool(bubblewrapHost({ directory: join(disk, "bubblewrap") }))
    const workspace = await pool.workspace("full")
    await expect(workspace.exec("cat /dev/zero >filling; sleep 30")).rejects.toMatchObject({
      kind: "execution_error",
      message: expect.stringContaining("This machine's disk is nearly full."),
    })
    await expect(workspace.writeFile("more", "x")).rejects.toMatchObject({ code: "no-space" })
    await workspace.remove("filling")
    await workspace.writeFile("more", "x")
    expect((await workspace.exec("sleep 1; cat more")).stdout).toBe("x")
  })

  it("C18: a sandbox that can't save its temporary files does not go to sleep", async () => {
    const disk = openDisk(40)
    const pool = createPool(bubblewrapHost({ directory: join(disk, "bubblewrap") }))
    const workspace = await pool.workspace("full")
    await workspace.exec("head -c 60M /dev/urandom > /tmp/big")
    await expect(pool.sleep("full")).rejects.toThrow()
    expect(pool.list()).toMatchObject([{ status: "running" }])
    expect(await workspace.stat("/tmp/big")).toMatchObject({ size: 60 * 2 ** 20 })
    await workspace.remove("/tmp/big")
    await pool.sleep("full")
    expect(pool.list()).toMatchObject([{ status: "sleeping" }])
    await pool.destroy()
  })

  it("Y14: a write to memory that has no room is refused whole, what was kept stays, and room lets it go on", async () => {
    const disk = openDisk(2)
    const memory = await openMemory({
      file: join(disk, "memory.db"),
      embeddings: { kind: "none", because: "" },
    })
    const content = "word ".repeat(6_000)
    const write = () => memory.write({ kind: "append", namespace: "notes", content })
    const outcomes: unknown[] = []
    while (outcomes.length < 80) outcomes.push(await write().catch((error) => error))
    const refused = outcomes.filter((one) => one instanceof Error)
    const kept = outcomes.length - refused.length
    expect(kept).toBeGreaterThan(0)
    expect(refused[0]).toMatchObject({ name: "ToolFailure", kind: "unavailable" })
    expect(await memory.read("notes", { offset: 0, limit: 1 })).toMatchObject({ entryCount: kept })
    execFileSync("mount", ["-o", "remount,size=40m", disk])
    expect(await write()).toMatchObject({ entryCount: kept + 1 })
    await memory.close()
  })
})
