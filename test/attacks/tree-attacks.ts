import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tarArchive } from "../../src/testing/measure/archives.ts"
import { type AttackGround, commandMs, type OpenGround } from "./attack-ground.ts"

const seconds = 2

/** Archives and links planted while they are read and written: on every host with a wall. */
export function attackTrees(open: OpenGround): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  /** Runs commands inside over and over, and an operation beside them, more than once. */
  async function race(commands: string, operation: () => Promise<unknown>): Promise<void> {
    const { workspace } = ground
    const loop = `echo x >racing; until [[ -e over ]]; do ${commands}; done 2>/dev/null; rm racing over`
    const racing = workspace.exec(loop, { timeoutMs: commandMs })
    await expect.poll(() => workspace.exists("racing")).toBe(true)
    const began = performance.now()
    for (let count = 0; count < 2 || performance.now() - began < seconds * 1_000; count += 1) {
      await operation()
      // Operations in memory leave no turn to the command.
      await setImmediate()
    }
    await workspace.writeFile("over", "")
    expect((await racing).ending).toEqual({ kind: "exited" })
  }

  it("C18: plants links to the host in the target of an import, and as the target, while it goes on", async () => {
    const { workspace, canary, canaryContent, secret, print } = ground
    const outside = dirname(canary)
    const found = readdirSync(outside)
    const archives = [innocentArchive(), hostileArchive(canary)]
    const importAll = async () => {
      for (const archive of archives) {
        await workspace.importTree("box/target", slowly(archive)).catch(() => {})
      }
    }
    await race(
      `mkdir -p box/target; rm -rf box/target/inner; ln -s ${outside} box/target/inner
       rm -rf box/target/inner; mkdir box/target/inner; ln -s ${canary} box/target/inner/canary
       rm -rf box/target; ln -s ${outside} box/target; rm -rf box/target`,
      importAll,
    )
    // Once more with links that stay.
    await print(
      `mkdir -p box/target; ln -s ${outside} box/target/inner; ln -s ${canary} box/target/up`,
    )
    await importAll()
    expect(canaryContent()).toBe(secret)
    expect(readdirSync(outside)).toEqual(found)
    expect(await print(`grep -r ${secret} box 2>/dev/null; echo alive`)).toBe("alive\n")
    await workspace.importTree("other", slowly(innocentArchive()))
    expect(await workspace.readFile("other/inner/canary")).toBe("owned")
  })

  it("C18: swaps files and directories for links to the host while their tree is exported", async () => {
    const { workspace, canary, secret } = ground
    const outside = dirname(canary)
    const taken: Uint8Array[] = []
    const keep = async (stream: ReadableStream<Uint8Array>) => {
      for await (const bytes of stream) taken.push(bytes)
    }
    await race(
      `mkdir -p tree/inner; echo inside >tree/inner/canary; cp tree/inner/canary tree/file
       rm -rf tree/file tree/inner; ln -s ${canary} tree/file; ln -s ${outside} tree/inner
       rm tree/file tree/inner`,
      async () => {
        for (const path of ["tree", "tree/file", "tree/inner/canary"]) {
          await workspace
            .exportTree(path)
            .then(keep)
            .catch(() => {})
        }
      },
    )
    const all = Buffer.concat(taken)
    expect(all.length).toBeGreaterThan(0)
    expect(all.includes(secret)).toBe(false)
  })
}

const owned = { kind: "file", content: "owned" } as const

/** Does harm only where a link has been planted. */
function innocentArchive(): Uint8Array {
  return tarArchive([
    { kind: "directory", name: "inner/" },
    { kind: "file", name: "filler", content: "x".repeat(20_000) },
    { ...owned, name: "inner/canary" },
    { ...owned, name: "inner/planted" },
  ])
}

/** Writes to the host's file and beside it by every kind of name and link. */
function hostileArchive(canary: string): Uint8Array {
  const outside = dirname(canary)
  return tarArchive([
    { kind: "directory", name: "inner/" },
    { ...owned, name: "inner/canary" },
    { kind: "file", name: "filler", content: "x".repeat(50_000) },
    { ...owned, name: "inner/planted" },
    { kind: "symlink", name: "up", to: outside },
    { ...owned, name: "up/planted" },
    { ...owned, name: "up/canary" },
    { kind: "hardlink", name: "stolen", to: canary },
    { ...owned, name: "stolen" },
    { kind: "symlink", name: "inner", to: outside },
    { ...owned, name: "inner/planted" },
    { ...owned, name: canary },
    { ...owned, name: `${"../".repeat(12)}${canary.slice(1)}` },
    { ...owned, name: "../planted" },
  ])
}

/** In small pieces with pauses, so that there is time for a race. */
function slowly(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let offset = 0
  return new ReadableStream({
    async pull(controller) {
      if (offset >= bytes.length) return controller.close()
      await new Promise((resume) => setTimeout(resume, 1))
      controller.enqueue(bytes.slice(offset, offset + 4_096))
      offset += 4_096
    },
  })
}
