import { setTimeout as pause } from "node:timers/promises"
import type { Workspace } from "../../../contract/index.ts"
import { defineChecks } from "../../measure/conformance-check.ts"
import { requireEqual, requireThat } from "../../measure/require.ts"
import { busyLoop } from "../../measure/running-work.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

const meetingMs = 20_000
const stallMs = 1_000

/** Three rounds are enough for all. */
const [count, atOnce] = [20, 7]

const concurrencyPromises = {
  twenty: "20 commands of one sandbox at once run side by side, in three rounds at most",
  "own-output": "of commands at the same time each gets its own output and exit code",
  "files-beside-command": "files can be used while a command runs, even a busy one",
  appends: "appends at the same time all arrive whole",
  writes: "of writes at the same time one wins whole",
}

export const concurrency = defineChecks("concurrency", concurrencyPromises, {
  async twenty({ workspace }) {
    await workspace.exec("mkdir met")
    const stop = new AbortController()
    const wait = "for i in $(seq 1 110); do [ -e go ] && break; sleep 0.2; done"
    const commands = Promise.allSettled(
      Array.from({ length: count }, (_, index) =>
        workspace.exec(`: > met/${index}; ${wait}`, { signal: stop.signal }),
      ),
    )
    try {
      const met = await gather(workspace)
      requireThat(met >= atOnce, `only ${met} of ${count} were running at the same time`)
      await workspace.writeFile("go", "")
      const ends = await commands
      const ok = ends.filter((end) => end.status === "fulfilled" && end.value.exitCode === 0)
      requireEqual("how many ended well", ok.length, count)
      return `${met} of ${count} waited for each other and met; all ended well`
    } finally {
      stop.abort()
      await commands
    }
  },
  async "own-output"({ workspace }) {
    const indexes = Array.from({ length: 20 }, (_, index) => index)
    const results = await Promise.all(
      indexes.map((index) =>
        workspace.exec(
          `for i in 1 2 3; do echo "out ${index}"; echo "err ${index}" >&2; done; exit ${index}`,
        ),
      ),
    )
    const found = results.map(({ stdout, stderr, exitCode }) => ({ stdout, stderr, exitCode }))
    const expected = indexes.map((index) => ({
      stdout: `out ${index}\n`.repeat(3),
      stderr: `err ${index}\n`.repeat(3),
      exitCode: index,
    }))
    requireEqual("the results", found, expected)
    return `${indexes.length} commands, nothing was mixed up`
  },
  async "files-beside-command"({ workspace }) {
    const stop = new AbortController()
    const busy = Promise.allSettled([
      workspace.exec(busyLoop, { signal: stop.signal }),
      workspace.exec("sleep 5", { signal: stop.signal }),
    ])
    try {
      await pause(100)
      const elapsed = startStopwatch()
      await workspace.writeFile("beside.txt", "beside")
      const text = await workspace.readFile("beside.txt")
      const names = (await workspace.readdir(".")).map(({ name }) => name)
      const elapsedMs = elapsed()
      requireEqual("what was found", { text, names }, { text: "beside", names: ["beside.txt"] })
      requireThat(elapsedMs < 3_000, `a write, a read and a listing took ${elapsedMs} ms`)
      return `a write, a read and a listing took ${elapsedMs} ms beside a busy loop`
    } finally {
      stop.abort()
      await busy
    }
  },
  async appends({ workspace }) {
    const lines = Array.from({ length: 40 }, (_, index) => `${`line ${index} `.repeat(200)}\n`)
    await Promise.all(lines.map((line) => workspace.writeFile("log.txt", line, { append: true })))
    const found = (await workspace.readFile("log.txt")).split(/(?<=\n)/).sort()
    requireEqual("the lines, sorted", found, lines.toSorted())
    return `${lines.length} appends at once, every line whole`
  },
  async writes({ workspace }) {
    const texts = Array.from({ length: 10 }, (_, index) => String(index).repeat(200_000))
    await Promise.all(texts.map((text) => workspace.writeFile("contended/one.txt", text)))
    const text = await workspace.readFile("contended/one.txt")
    const names = (await workspace.readdir("contended")).map(({ name }) => name)
    requireThat(texts.includes(text), "the file is a mixture of several writes")
    requireEqual("the names in the directory", names, ["one.txt"])
    return `${texts.length} writes of 200,000 bytes at once; one of them is there`
  },
})

/** How many commands say that they are running, when no more of them come or the time is over. */
async function gather(workspace: Workspace): Promise<number> {
  const elapsed = startStopwatch()
  let [met, changedMs] = [0, 0]
  for (;;) {
    const { length } = await workspace.readdir("met")
    if (length > met) [met, changedMs] = [length, elapsed()]
    const stalled = met >= atOnce && elapsed() - changedMs > stallMs
    if (met === count || stalled || elapsed() > meetingMs) return met
    await pause(50)
  }
}
