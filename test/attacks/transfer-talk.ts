import { bubblewrapHost, createPool, type Pool } from "../../src/sandbox/index.ts"
import type { AttackPlaces } from "./ordinary-user.ts"

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

/** What two sandboxes hear of each other that keep the pipes of a transfer, one way and the other. */
export async function talkByTransfer(pool: Pool) {
  const [one, two] = [await pool.workspace("one"), await pool.workspace("two")]
  await one.exec("mkdir tree; head -c 40M /dev/zero >tree/file")
  const held: boolean[] = []
  let heard = ""
  for (const [talker, listener] of [
    [one, two],
    [two, one],
  ] as const) {
    await talker.exec(holdPipe(talk))
    await listener.exec(holdPipe(listen))
    // On a busy machine a transfer may be over before they have come to its pipe.
    for (let tries = 20; tries > 0; tries -= 1) {
      await pool.transfer(
        { sandbox: "one", path: "tree" },
        { sandbox: "two", path: "copy" },
        { recursive: true },
      )
      if ((await talker.exists("held")) && (await listener.exists("held"))) break
    }
    held.push(await talker.exists("held"), await listener.exists("held"))
    await talker.exec(finish, { timeoutMs: 60_000 })
    heard += (await listener.exec(finish, { timeoutMs: 60_000 })).stdout
  }
  const { stdout } = await two.exec("cmp <(head -c 40M /dev/zero) copy/file && echo same")
  return { held, heard: heard.includes("words of another"), copy: stdout }
}

export const silence = { held: [true, true, true, true], heard: false, copy: "same\n" }

export async function talkOnBubblewrap({ directory }: AttackPlaces) {
  await using pool = createPool(bubblewrapHost({ directory }))
  return await talkByTransfer(pool)
}
