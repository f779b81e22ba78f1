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
