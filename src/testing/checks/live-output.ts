import { defineChecks } from "../measure/define-checks.ts"
import { requireBytes, requireEqual, requireThat } from "../measure/require.ts"
import { sampleBytes } from "../measure/sample-bytes.ts"

const liveOutputPromises = {
  "while-it-runs": "output arrives while the command still runs",
  complete: "live output carries every byte of each stream, also those that the result leaves out",
  "never-late": "no output arrives after the command's result",
}

export const liveOutput = defineChecks(
  { topic: "live-output", needs: "liveOutput" },
  liveOutputPromises,
  {
    async "while-it-runs"({ workspace }) {
      let seen = ""
      let answer: Promise<void> | undefined
      const command = "echo ready; until [ -e go ]; do sleep 0.05; done; echo done"
      const result = await workspace.exec(command, {
        timeoutMs: 3_000,
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
  },
)
