import type { CapturedStream } from "../../../sandbox/index.ts"
import type { Subject } from "../../measure/conformance-check.ts"
import { defineChecks } from "../../measure/define-checks.ts"
import { requireBytes, requireEqual, requireThat } from "../../measure/require.ts"
import { sampleBytes } from "../../measure/sample-files.ts"

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
      requireBytes(name, joined(stream), bytes)
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

function catWithLimit({ workspace, sandbox, signal }: Subject, bytes: Uint8Array, limit: number) {
  const command = "cat sample.bin; cat sample.bin >&2"
  return workspace.writeFile("sample.bin", bytes).then(() =>
    sandbox.perform<"command.run">(
      {
        kind: "command.run",
        command,
        cwd: sandbox.home,
        env: {},
        stdin: new Uint8Array(),
        timeoutMs: null,
        idleTimeoutMs: null,
        maxOutputBytes: limit,
      },
      { signal, onOutput: () => {} },
    ),
  )
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

function joined({ head, tail }: CapturedStream): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}
