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
    "O29: a command that floods output pipes fails counts and starts at once, and holds up nobody",
    async () => {
      await using ground = await open()
      const { pool, workspace } = ground
      // Find has so much to say that it must wait for its reader, and the flood comes to its turn meanwhile.
      await workspace.exec("mkdir tree bin; cd tree; seq 40000 | xargs touch")
      await workspace.writeFile("bin/mkdir", slowMkdir)
      await workspace.exec("chmod +x bin/mkdir")
      await pool.workspace("other")
      const stopped = new AbortController()
      const flooding = Promise.withResolvers<void>()
      const flood = workspace.exec(floodPipes, {
        signal: stopped.signal,
        onOutput: () => flooding.resolve(),
      })
      await flooding.promise
      // Without a limit these went on, and took memory, for ever. Twice: the flood outlives what it fails.
      for (const name of ["first", "second"]) {
        const to = { sandbox: "other", path: name }
        const counted = pool.transfer({ sandbox: "default", path: "tree" }, to, { recursive: true })
        await expect(counted).rejects.toThrow("could not be counted")
        const started = workspace.processes.start("sleep 600", {
          env: { PATH: "/home/user/bin:/usr/bin:/bin" },
        })
        await expect(started).rejects.toThrow("could not be started: another command wrote")
      }
      expect((await workspace.exec("echo beside it")).stdout).toBe("beside it\n")
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

/**
 * Floods the output of each command that counts files or starts a process, and no line that it writes ever ends. A pipe that
 * loses its reader does not end it: it waits for the next one. Pipes are made as they are needed: later ones are flooded too.
 */
const floodPipes = `trap '' PIPE; declare -A flooded
flood() { until false; do sleep 0.01; case $(<$1.cmd) in *'exec find'* | *BASHPID*)
while printf %0999d 0; do echo >~/flooded.\${1##*/}; done ;; esac >$1.out; done; }
until false; do for pipe in /run/toolkeep/*.out; do [[ \${flooded[$pipe]} ]] && continue
flooded[$pipe]=x; flood \${pipe%.out} & done 2>/dev/null; echo on; sleep 0.1; done`

/** Comes after the flood: when that has written to the output of the process which this one is part of. */
const slowMkdir = `#!/bin/bash
slot=$(readlink /proc/$$/fd/1); slot=\${slot##*/}; mark=~/flooded.\${slot%.out}
rm -f $mark; until [[ -e $mark ]]; do sleep 0.01; done; exec /usr/bin/mkdir "$@"
`
