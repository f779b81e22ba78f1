import { expect, it } from "vitest"
import { createWorkspace } from "../../src/sandbox/index.ts"
import { type OpenGround, setUpMs } from "./attack-ground.ts"

/** Opens the pipe of a transfer as soon as there is one, to keep it, and then talks or listens on it. */
function holdPipe(then: string): string {
  return `rm -f held go done; (
until compgen -G '/run/toolkeep/pipe_*' >/dev/null; do :; done
exec 9<>/run/toolkeep/pipe_*; echo x >held
until [[ -e go ]]; do sleep 0.05; done
${then}; echo x >done ) >/dev/null 2>&1 &`
}

const talk = "printf 'words of another%.0s' {1..100} >&9"
const listen = 'while read -r -t 0.5 -N 1 -u 9 character; do printf %s "$character" >>heard; done'
const finish = `echo x >go; until [[ -e done ]]; do sleep 0.05; done; cat heard 2>/dev/null`

/** Ways for two sandboxes without a network to talk with each other: on every host that shares pipes. */
export function attackTransfers(open: OpenGround): void {
  it(
    "C18, C9: two sandboxes keep the pipe of a transfer open, and hear nothing of each other by it afterwards",
    async () => {
      await using ground = await open()
      const { pool } = ground
      const [one, two] = [await pool.workspace("one"), await pool.workspace("two")]
      await one.exec("mkdir tree; head -c 40M /dev/zero >tree/file")
      for (const [talker, listener] of [
        [one, two],
        [two, one],
      ] as const) {
        await talker.exec(holdPipe(talk))
        await listener.exec(holdPipe(listen))
        await pool.transfer(
          { sandbox: "one", path: "tree" },
          { sandbox: "two", path: "copy" },
          { recursive: true },
        )
        const held = await Promise.all([talker.exists("held"), listener.exists("held")])
        expect(held).toEqual([true, true])
        await talker.exec(finish, { timeoutMs: 20_000 })
        const { stdout } = await listener.exec(finish, { timeoutMs: 20_000 })
        expect(stdout).not.toContain("words of another")
      }
      expect((await two.exec("cmp <(head -c 40M /dev/zero) copy/file && echo same")).stdout).toBe(
        "same\n",
      )
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
