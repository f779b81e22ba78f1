import { randomBytes } from "node:crypto"
import { createId } from "../../src/kit/index.ts"
import { type NewEntry, openRecord } from "../../src/store/index.ts"

export const longSession = { entries: 100_000, outputBytes: 250_000_000, name: "long" } as const

const calls = 5
const entriesInRound = 2 + calls * 2
const roundsKept = 20

/**
 * Records what an agent leaves after a very long run: rounds of five calls, and a summary whenever the context was full.
 * Half of the output is in the envelopes, half in the messages that the model read.
 */
export async function writeLongSession(file: string): Promise<void> {
  await using store = await openRecord({ file })
  const record = await store.open(longSession.name)
  const rounds = Math.floor(longSession.entries / entriesInRound)
  const output = Math.floor(longSession.outputBytes / rounds / calls / 2)
  const run = { model: "scripted/script", limits: { rounds: 1e6, calls: 1e7 }, system: "Work." }
  await record.append([
    milestone("run", run),
    milestone("message", { message: { role: "user", content: [{ type: "text", text: "Go." }] } }),
  ])
  const pending: NewEntry[] = []
  for (let round = 0; round < rounds; round += 1) {
    pending.push(...entriesOf(output))
    const isFull = round % (roundsKept * 2) === roundsKept * 2 - 1
    if (isFull || round === rounds - 1) await record.append(pending.splice(0))
    if (!isFull) continue
    const keepFrom = record.head().entry - entriesInRound * roundsKept + 1
    const text = randomText(4_000)
    const began = { sequence: 1, startedAt: 0, start: run }
    pending.push(milestone("edit", { results: {}, summary: { text, keepFrom, run: began } }))
  }
  await record.close()
}

function entriesOf(output: number): NewEntry[] {
  const made = Array.from({ length: calls }, () => {
    const id = createId("call")
    return { id, providerId: id, tool: "shell_exec", input: '{"command":"make"}' }
  })
  const usage = { input: 60_000, output: 200, cached: 0 }
  const content = made.map((call) => ({ type: "call", ...call }))
  const message = { role: "assistant", content, finish: "tool-calls", model: run0, usage }
  const texts = made.map(() => randomText(output))
  const results = made.map((call, index) => {
    return { call, content: [{ type: "text", text: texts[index] }], isError: false }
  })
  return [
    milestone("message", { message }),
    ...made.flatMap(({ id }, index): NewEntry[] => [
      entry("call", { call: id, tool: "shell.exec", input: { command: "make" } }),
      entry("envelope", {
        call: id,
        envelope: { ok: true, tool: "shell.exec", result: { stdout: texts[index] } },
        duration_ms: 10,
      }),
    ]),
    milestone("message", { message: { role: "tool", results } }),
  ]
}

const run0 = "scripted/script"

function entry(kind: string, body: unknown): NewEntry {
  return { kind, at: Date.now(), body }
}

function milestone(kind: string, body: unknown): NewEntry {
  return { ...entry(kind, body), isMilestone: true }
}

function randomText(characters: number): string {
  return randomBytes(Math.ceil(characters / 2))
    .toString("hex")
    .slice(0, characters)
}
