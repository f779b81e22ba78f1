import type { CapturedStream } from "../../../sandbox/index.ts"
import { defineChecks, type Subject } from "../../measure/conformance-check.ts"
import { requireBytes, requireEqual, requireThat } from "../../measure/require.ts"
import { perform } from "../../measure/running-work.ts"
import { sampleBytes } from "../../measure/sample-files.ts"

const mebibyte = 1024 * 1024

const outputPromises = {
  separate: "stdout and stderr are kept apart",
  order: "within each stream the output keeps its order",
  "ten-megabytes": "10 MB of output arrive complete",
  "many-lines": "output of very many lines arrives complete",
  binary: "binary output is exact to the byte, on both streams",
  "both-full": "a command may fill stderr before it writes to stdout",
  empty: "a command that writes nothing has empty output",
  "no-last-newline": "output is neither trimmed nor ended by a newline of the host's own",
  "split-characters": "a character that arrives in two parts is decoded as one",
}

export const output = defineChecks("output", outputPromises, {
  async separate({ workspace }) {
    const { stdout, stderr } = await workspace.exec("echo to-out; echo to-err >&2")
    requireEqual("the streams", { stdout, stderr }, { stdout: "to-out\n", stderr: "to-err\n" })
    return "one line on each stream came back on that stream"
  },
  async order({ workspace }) {
    const count = 300
    const command = `for i in $(seq 1 ${count}); do echo "out $i"; echo "err $i" >&2; done`
    const { stdout, stderr } = await workspace.exec(command)
    requireEqual("stdout", stdout, lines("out", count))
    requireEqual("stderr", stderr, lines("err", count))
    return `${count} lines on each stream, written in turns, came back in order`
  },
  async "ten-megabytes"({ workspace }) {
    const bytes = sampleBytes(10 * mebibyte)
    await workspace.writeFile("large.bin", bytes)
    const { stdoutBytes, omitted } = await workspace.exec("cat large.bin")
    requireBytes("stdout", stdoutBytes, bytes)
    requireEqual("the omitted bytes", omitted, { stdout: 0, stderr: 0 })
    return `${bytes.length} bytes, compared one by one`
  },
  async "many-lines"({ workspace }) {
    const count = 200_000
    const { stdout } = await workspace.exec(`seq 1 ${count}`)
    const expected = `${Array.from({ length: count }, (_, index) => index + 1).join("\n")}\n`
    requireEqual("the length of stdout", stdout.length, expected.length)
    requireEqual("stdout", stdout === expected, true)
    return `seq 1 ${count} gave ${stdout.length} characters, all as expected`
  },
  async binary({ workspace }) {
    const out = sampleBytes(100_003, 2)
    const err = sampleBytes(70_001, 3)
    await workspace.writeFile("out.bin", out)
    await workspace.writeFile("err.bin", err)
    const result = await workspace.exec("cat out.bin; cat err.bin >&2")
    requireBytes("stdout", result.stdoutBytes, out)
    requireBytes("stderr", result.stderrBytes, err)
    return `${out.length} and ${err.length} bytes of every value, compared one by one`
  },
  async "both-full"({ workspace }) {
    const bytes = sampleBytes(2 * mebibyte, 4)
    await workspace.writeFile("full.bin", bytes)
    const result = await workspace.exec("cat full.bin >&2; cat full.bin; cat full.bin >&2")
    requireEqual("the length of stderr", result.stderrBytes.length, 2 * bytes.length)
    requireBytes("stdout", result.stdoutBytes, bytes)
    return `${bytes.length} bytes on stdout between ${bytes.length} and ${bytes.length} on stderr`
  },
  async empty({ workspace }) {
    const { stdout, stderr, stdoutBytes, stderrBytes, omitted } = await workspace.exec("true")
    const lengths = [stdout.length, stderr.length, stdoutBytes.length, stderrBytes.length]
    requireEqual("the lengths", lengths, [0, 0, 0, 0])
    requireEqual("the omitted bytes", omitted, { stdout: 0, stderr: 0 })
    return "`true` gave no byte on either stream"
  },
  async "no-last-newline"({ workspace }) {
    const { stdout, stderr } = await workspace.exec("printf '\\n  a  '; printf '\\t\\n\\n' >&2")
    requireEqual("the streams", { stdout, stderr }, { stdout: "\n  a  ", stderr: "\t\n\n" })
    return "white space at both ends came back as it was written"
  },
  async "split-characters"({ workspace }) {
    const text = `a${"€".repeat(400_000)}`
    await workspace.writeFile("euro.txt", text)
    await workspace.writeFile("e-acute.txt", "é")
    const whole = await workspace.exec("cat euro.txt")
    requireEqual("a long text", whole.stdout === text, true)
    const halves = await workspace.exec("head -c 1 e-acute.txt; sleep 0.1; tail -c 1 e-acute.txt")
    requireEqual("two halves", halves.stdout, "é")
    return "400,000 characters of 3 bytes, and one whose bytes were written 100 ms apart"
  },
})

function lines(word: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join("")
}

const liveOutputPromises = {
  "while-it-runs": "output arrives while the command still runs",
  complete: "live output carries every byte of each stream, also those that the result leaves out",
  "never-late": "no output arrives after the command's result",
}

export const liveOutput = defineChecks("live-output", liveOutputPromises, {
  async "while-it-runs"({ workspace }) {
    let seen = ""
    let answer: Promise<void> | undefined
    const command = "echo ready; until [ -e go ]; do sleep 0.05; done; echo done"
    const result = await workspace.exec(command, {
      timeoutMs: 10_000,
      onOutput({ bytes }) {
        seen += new TextDecoder().decode(bytes)
        if (seen.includes("ready")) answer ??= workspace.writeFile("go", "").catch(() => {})
      },
    })
    await answer
    requireEqual("how it ended", result.ending, { kind: "exited" })
    requireEqual("stdout", result.stdout, "ready\ndone\n")
    return "the command waited for an answer to its first line, and got it"
  },
  async complete({ workspace }) {
    const bytes = sampleBytes(700_001, 8)
    await workspace.writeFile("sample.bin", bytes)
    const seen = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
    await workspace.exec("cat sample.bin; cat sample.bin >&2", {
      maxOutputBytes: 1_000,
      onOutput: (chunk) => seen[chunk.stream].push(chunk.bytes.slice()),
    })
    requireBytes("live stdout", Buffer.concat(seen.stdout), bytes)
    requireBytes("live stderr", Buffer.concat(seen.stderr), bytes)
    return `${bytes.length} bytes on each stream, at a limit of 1000 for the result`
  },
  async "never-late"({ workspace }) {
    let ended = false
    let late = 0
    for (let round = 0; round < 5; round += 1) {
      ended = false
      const onOutput = () => {
        if (ended) late += 1
      }
      await workspace.exec("(sleep 0.1; echo late) & seq 1 2000", { onOutput })
      ended = true
      await workspace.exec("sleep 0.2")
    }
    requireThat(late === 0, `${late} chunks arrived after their command's result`)
    return "5 commands with a background child that still writes: nothing arrived afterwards"
  },
})

const outputLimitsPromises = {
  "head-and-tail":
    "of output beyond its limit the head and the tail are kept, and the rest is counted exactly",
  "each-stream": "the limit holds for each stream by itself",
  "exactly-full": "output that just fits its limit is complete",
  "said-in-text": "where output was left out, the text says how much, and no character is split",
}

export const outputLimits = defineChecks("output-limits", outputLimitsPromises, {
  async "head-and-tail"(subject) {
    const bytes = sampleBytes(300_007, 5)
    const limit = 1_000
    const { stdout } = await catWithLimit(subject, bytes, limit)
    requireCut("stdout", stdout, bytes, limit)
    return `${describe(stdout)} of ${bytes.length} bytes at a limit of ${limit}`
  },
  async "each-stream"(subject) {
    const bytes = sampleBytes(50_000, 6)
    const limit = 999
    const { stdout, stderr } = await catWithLimit(subject, bytes, limit)
    requireCut("stdout", stdout, bytes, limit)
    requireCut("stderr", stderr, bytes, limit)
    return `stdout ${describe(stdout)}, stderr ${describe(stderr)}`
  },
  async "exactly-full"(subject) {
    const bytes = sampleBytes(4_096, 7)
    const { stdout, stderr } = await catWithLimit(subject, bytes, bytes.length)
    for (const [name, stream] of [
      ["stdout", stdout],
      ["stderr", stderr],
    ] as const) {
      requireEqual(`the omitted bytes of ${name}`, stream.omitted, 0)
      requireBytes(name, Buffer.concat([stream.head, stream.tail]), bytes)
    }
    return `${bytes.length} bytes at a limit of ${bytes.length}`
  },
  async "said-in-text"({ workspace }) {
    await workspace.writeFile("euro.txt", "€".repeat(10_000))
    const { stdout, omitted } = await workspace.exec("cat euro.txt", { maxOutputBytes: 1_000 })
    requireThat(stdout.includes(String(omitted.stdout)), `the text does not name ${omitted.stdout}`)
    requireThat(!stdout.includes("\ufffd"), "a character was split at the cut")
    requireThat(/^€+[^€]+€+$/.test(stdout), "the text is not a head, a note and a tail")
    return `${omitted.stdout} bytes left out, and the text says so`
  },
})

async function catWithLimit(subject: Subject, bytes: Uint8Array, maxOutputBytes: number) {
  const { workspace, signal } = subject
  await workspace.writeFile("sample.bin", bytes)
  return perform(subject, "cat sample.bin; cat sample.bin >&2", { signal, maxOutputBytes })
}

function requireCut(name: string, stream: CapturedStream, whole: Uint8Array, limit: number): void {
  const { head, tail, omitted } = stream
  requireThat(
    head.length >= limit / 4 && tail.length >= limit / 4,
    `${name}: ${describe(stream)} are not a head and a tail`,
  )
  requireThat(
    head.length + tail.length <= limit,
    `${name}: ${describe(stream)} are over the limit of ${limit}`,
  )
  requireBytes(`the head of ${name}`, head, whole.subarray(0, head.length))
  requireBytes(`the tail of ${name}`, tail, whole.subarray(whole.length - tail.length))
  requireEqual(`the omitted bytes of ${name}`, omitted, whole.length - head.length - tail.length)
}

function describe({ head, tail, omitted }: CapturedStream): string {
  return `kept ${head.length} + ${tail.length}, left out ${omitted}`
}
