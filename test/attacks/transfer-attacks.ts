import { expect, it } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { type OpenGround, setUpMs } from "./attack-ground.ts"
import { silence, talkByTransfer } from "./transfer-talk.ts"

/** Ways for two sandboxes without a network to talk with each other: on every host that shares pipes. */
export function attackTransfers(open: OpenGround): void {
  it(
    "C18, C9: two sandboxes keep the pipe of a transfer open, and hear nothing of each other by it afterwards",
    async () => {
      await using ground = await open()
      expect(await talkByTransfer(ground.pool)).toEqual(silence)
    },
    2 * setUpMs,
  )

  it(
    "O29: a command that floods every output pipe holds up nobody while files are counted and processes start",
    async () => {
      await using ground = await open()
      const { pool, workspace } = ground
      await Promise.all([workspace.writeFile("file", "x"), pool.workspace("other")])
      const stopped = new AbortController()
      const flood = workspace.exec(floodPipes, { signal: stopped.signal })
      await expect.poll(() => workspace.exists("ready"), { timeout: setUpMs }).toBe(true)
      const from = { sandbox: "default", path: "file" }
      // The flood stops the program that counts: without a limit this went on, and took memory, for ever. A
      // count that ends before the flood comes to its pipe is as good an end.
      const counted = pool
        .transfer(from, { sandbox: "other", path: "file" })
        .then(() => "counted", String)
      expect(await counted).toMatch(/could not be counted|^counted$/)
      // So does each start of a process; sooner or later the flood is there before it.
      const start = () => workspace.processes.start("sleep 600").then(() => "started", String)
      await expect.poll(start, { timeout: setUpMs }).toMatch("could not be started")
      stopped.abort()
      await expect(flood).rejects.toThrow()
    },
    2 * setUpMs,
  )

  it(
    "C18: two sandboxes of one snapshot hear nothing of each other by the pipes and locks in it",
    async () => {
      await using ground = await open()
      const { host } = ground
      const first = await host.create({ name: "first" })
      const made = createWorkspace(first)
      await made.exec("mkfifo pipe; echo x >file")
      const snapshot = await first.snapshot()
      const second = await host.create({ name: "second", from: snapshot })
      try {
        const other = createWorkspace(second)
        const opened = `exec 9<>pipe 8<file; flock -xn 8 && echo locked`
        const speaking = made.exec(
          `${opened}; echo words >&9; echo x >ready; until [[ -e stop ]]; do sleep 0.05; done`,
        )
        await expect.poll(() => made.exists("ready"), { timeout: setUpMs }).toBe(true)
        const { stdout } = await other.exec(
          `${opened}; read -r -t 0.5 -u 9 word; echo "heard:$word"`,
        )
        expect(stdout).toBe("locked\nheard:\n")
        await made.exec("echo x >stop")
        expect((await speaking).stdout).toBe("locked\n")
      } finally {
        await Promise.all([first.destroy(), second.destroy()])
        await host.removeSnapshot(snapshot)
      }
    },
    2 * setUpMs,
  )
}

/** No line that it writes ever ends. Pipes are made as they are needed: those that come later are flooded as well. */
const floodPipes = `declare -A flooded; until false; do
for pipe in /run/toolkeep/*.out; do [[ \${flooded[$pipe]} ]] && continue
flooded[$pipe]=x; (until false; do printf %064d 0 >$pipe; done) & done; echo >ready
for stat in /proc/[0-9]*/comm; do read -r name <$stat || continue
if [[ $name == find ]]; then kill -STOP \${stat//[^0-9]/}; fi; done; done 2>/dev/null`
