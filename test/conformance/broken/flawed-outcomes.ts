import type { CapturedStream } from "../../../src/sandbox/index.ts"
import {
  alterControl,
  alterOutcomes,
  alterStreams,
  asBytes,
  asText,
  bytesOf,
  captured,
  noBytes,
} from "./alter-commands.ts"
import { alterSandboxes, type BrokenHost } from "./broken-host.ts"

/** Hosts that run the right command and report it wrongly. */
export const flawedOutcomes: readonly BrokenHost[] = [
  {
    flaw: "loses the exit code",
    caughtBy: [
      ...["number", "highest", "last", "missing-command", "own-124", "nested"].map(
        (name) => `exit-codes.${name}`,
      ),
      "exit-codes.not-executable",
      "exit-codes.syntax-error",
      "commands.leading-dash",
      "commands.script",
    ],
    breakHost: (good) => alterOutcomes(good, () => ({ exitCode: 0 })),
  },
  {
    flaw: "reports every end as a failure",
    caughtBy: ["exit-codes.zero"],
    breakHost: (good) => alterOutcomes(good, ({ exitCode }) => ({ exitCode: exitCode || 1 })),
  },
  {
    flaw: "reports a death by signal as -1",
    caughtBy: ["exit-codes.killed", "exit-codes.terminated"],
    breakHost: (good) =>
      alterOutcomes(good, ({ exitCode }) => ({ exitCode: exitCode > 128 ? -1 : exitCode })),
  },
  {
    flaw: "takes every exit code 124 for a timeout",
    caughtBy: ["exit-codes.own-124"],
    breakHost: (good) =>
      alterOutcomes(good, ({ exitCode, ending }) => ({
        ending: exitCode === 124 ? { kind: "timed-out", afterMs: 0 } : ending,
      })),
  },
  {
    flaw: "says of a timed-out command that it exited",
    caughtBy: ["timeouts.deadline", "idle-timeouts.silence"],
    breakHost: (good) => alterOutcomes(good, () => ({ ending: { kind: "exited" } })),
  },
  {
    flaw: "merges stderr into stdout",
    caughtBy: ["output.separate", "output.order", "output.binary"],
    breakHost: (good) =>
      alterOutcomes(good, ({ stdout, stderr }) => ({
        stdout: captured(Buffer.concat([bytesOf(stdout), bytesOf(stderr)])),
        stderr: captured(noBytes),
      })),
  },
  {
    flaw: "truncates output silently at 64 KiB",
    caughtBy: [
      "output.ten-megabytes",
      "output.many-lines",
      "output.both-full",
      "output-limits.head-and-tail",
    ],
    breakHost: (good) =>
      alterOutcomes(good, (outcome) =>
        alterStreams(outcome, (stream) => captured(bytesOf(stream).subarray(0, 65_536))),
      ),
  },
  {
    flaw: "keeps only the tail of long output",
    caughtBy: ["output-limits.head-and-tail", "output-limits.each-stream"],
    breakHost: (good) =>
      alterOutcomes(good, (outcome) =>
        alterStreams(outcome, ({ head, tail, omitted }) =>
          omitted > 0
            ? { head: noBytes, tail, omitted: omitted + head.length }
            : { head, tail, omitted },
        ),
      ),
  },
  {
    flaw: "miscounts what it left out",
    caughtBy: ["output-limits.head-and-tail"],
    breakHost: (good) =>
      alterOutcomes(good, (outcome) =>
        alterStreams(outcome, (stream) => ({
          ...stream,
          omitted: stream.omitted && stream.omitted - 1,
        })),
      ),
  },
  {
    flaw: "keeps one byte less than its limit",
    caughtBy: ["output-limits.exactly-full"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "command.run": (run, control, sandbox) =>
          sandbox.perform<"command.run">(
            { ...run, maxOutputBytes: run.maxOutputBytes - 1 },
            control,
          ),
      })),
  },
  {
    flaw: "says nowhere in the text that output was left out",
    caughtBy: ["output-limits.said-in-text"],
    breakHost: (good) =>
      alterOutcomes(good, (outcome) =>
        alterStreams(outcome, (stream) => ({ ...stream, omitted: 0 })),
      ),
  },
  {
    flaw: "takes output for text",
    caughtBy: ["output.binary", "output.ten-megabytes", "stdin.exact"],
    breakHost: (good) => alterOutcomes(good, (outcome) => alterStreams(outcome, throughText)),
  },
  {
    flaw: "decodes each chunk of output by itself",
    caughtBy: ["output.split-characters"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "command.run"(run, control, sandbox) {
          let text = ""
          const outcome = await sandbox.perform<"command.run">(run, {
            ...control,
            onOutput: ({ bytes }) => {
              text += asText(bytes)
            },
          })
          return { ...outcome, stdout: captured(asBytes(text)) }
        },
      })),
  },
  {
    flaw: "trims output",
    caughtBy: ["output.no-last-newline"],
    breakHost: (good) =>
      alterOutcomes(good, (outcome) =>
        alterStreams(outcome, (stream) => captured(asBytes(asText(bytesOf(stream)).trim()))),
      ),
  },
  {
    flaw: "has a banner before every output",
    caughtBy: ["output.empty"],
    breakHost: (good) =>
      alterOutcomes(good, ({ stdout }) => ({
        stdout: captured(Buffer.concat([asBytes("Welcome\n"), bytesOf(stdout)])),
      })),
  },
  {
    flaw: "shows no output before the end",
    caughtBy: ["live-output.while-it-runs", "live-output.complete"],
    breakHost: (good) => alterControl(good, () => ({ onOutput: () => {} })),
  },
  {
    flaw: "shows output late",
    caughtBy: ["live-output.never-late"],
    breakHost: (good) =>
      alterControl(good, ({ onOutput }) => ({
        onOutput: (chunk) => void setTimeout(() => onOutput(chunk), 20),
      })),
  },
  {
    flaw: "forgets what a command wrote before its deadline",
    caughtBy: ["timeouts.output-kept"],
    breakHost: (good) =>
      alterOutcomes(good, (outcome) =>
        outcome.ending.kind === "exited" ? {} : alterStreams(outcome, () => captured(noBytes)),
      ),
  },
]

function throughText(stream: CapturedStream): CapturedStream {
  return { ...stream, head: asBytes(asText(stream.head)), tail: asBytes(asText(stream.tail)) }
}
