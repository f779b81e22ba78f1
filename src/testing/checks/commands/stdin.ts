import { defineChecks, when } from "../../measure/conformance-check.ts"
import { requireBytes, requireEqual, requireThat } from "../../measure/require.ts"
import { sampleBytes } from "../../measure/sample-files.ts"
import { startStopwatch, warmUp } from "../../measure/stopwatch.ts"

const megabyte = 1_000_000

const stdinPromises = {
  exact: "input reaches a command exact to the byte",
  text: "input given as text reaches a command as UTF-8",
  large: "4 MB of input pass through a command while it writes them out",
  closed: "without input a command that reads finds the end at once",
  unread: "input that a command does not read neither hangs nor fails it",
  own: "of commands at the same time each gets its own input",
  live: "a command reads its input as it comes, and answers before the input has ended",
}

export const stdin = defineChecks("stdin", stdinPromises, {
  async exact({ workspace }) {
    const bytes = sampleBytes(65_537, 9)
    const { stdoutBytes } = await workspace.exec("cat", { stdin: bytes })
    requireBytes("what cat gave back", stdoutBytes, bytes)
    return `${bytes.length} bytes of every value through cat`
  },
  async text({ workspace }) {
    const { stdout } = await workspace.exec("wc -c; echo end", { stdin: "naïve 日本 🎉\n" })
    requireEqual("the count", stdout.trim().split(/\s+/), ["19", "end"])
    return "13 characters were 19 bytes"
  },
  async large({ workspace }) {
    const bytes = sampleBytes(4 * megabyte, 10)
    const { stdoutBytes } = await workspace.exec("cat | cat", { stdin: bytes })
    requireBytes("what came back", stdoutBytes, bytes)
    return `${bytes.length} bytes, compared one by one`
  },
  async closed({ workspace }) {
    await warmUp(workspace)
    const elapsed = startStopwatch()
    const { stdout, exitCode } = await workspace.exec("cat; read line; echo end", {
      timeoutMs: 4_000,
    })
    const elapsedMs = elapsed()
    requireEqual("the end", { stdout, exitCode }, { stdout: "end\n", exitCode: 0 })
    requireThat(elapsedMs < 3_000, `it took ${elapsedMs} ms`)
    return `cat and read ended by themselves; ${elapsedMs} ms in all`
  },
  async unread({ workspace }) {
    const input = sampleBytes(megabyte, 11)
    const elapsed = startStopwatch()
    const none = await workspace.exec("exit 3", { stdin: input, timeoutMs: 4_000 })
    const some = await workspace.exec("head -c 4 > /dev/null; exit 5", {
      stdin: input,
      timeoutMs: 4_000,
    })
    const elapsedMs = elapsed()
    requireEqual("the exit codes", [none.exitCode, some.exitCode], [3, 5])
    return `1 MB for a command that reads none and one that reads 4 bytes: ${elapsedMs} ms for both`
  },
  async own({ workspace }) {
    const inputs = Array.from({ length: 8 }, (_, index) => `input ${index}\n`.repeat(2_000))
    const results = await Promise.all(inputs.map((text) => workspace.exec("cat", { stdin: text })))
    const wrong = results.filter(({ stdout }, index) => stdout !== inputs[index]).length
    requireEqual("how many got another's input", wrong, 0)
    return `${inputs.length} commands, each gave back its own 2,000 lines`
  },
  live: when("liveInput", async ({ workspace, signal }) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const say = (text: string) => void writer.write(new TextEncoder().encode(text))
    const questions = ["one", "two", "three"]
    let shown = ""
    let asked = 0
    const ask = () => {
      const question = questions[asked]
      asked += 1
      if (question === undefined) void writer.close()
      else say(`${question}\n`)
    }
    const running = workspace.exec('while read -r line; do echo "<$line>"; done; echo end', {
      stdin: readable,
      signal,
      onOutput: ({ bytes }) => {
        shown += new TextDecoder().decode(bytes)
        if (shown.endsWith(`<${questions[asked - 1]}>\n`)) ask()
      },
    })
    ask()
    const { stdout } = await running
    requireEqual("what it answered", stdout, "<one>\n<two>\n<three>\nend\n")
    return `${questions.length} lines, each answered before the next was sent`
  }),
})
