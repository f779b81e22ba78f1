import type { Readable, Writable } from "node:stream"
import { limits } from "../../contract/index.ts"
import { batchEndings } from "./batch-endings.ts"

/** How a command is over. */
export type AgentAnswer =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "no-directory" }
  | { readonly kind: "agent-gone" }

/** The program inside a sandbox that starts commands there. */
export interface Agent {
  /** Resolves when it takes requests; rejects when it ends before that. */
  readonly ready: Promise<void>
  readonly gone: Promise<void>
  /** How much it has said: one that says nothing more is stopped or has no room to work. */
  heard(): number
  /** Starts the command that was put into the slot. */
  run(slot: number): AgentRun
  /** Ends it, and with it everything inside: it does not answer any more, or not as it should. */
  kill(): void
}

export interface AgentRun {
  readonly answer: Promise<AgentAnswer>
  /** Has the agent look whether the command is over without having said so. Ends it when it is silent. */
  ask(): void
  /** Sends a signal to all that the command has started. */
  signal(signal: "TERM" | "KILL", mark: string): void
}

/** A line that is longer was not written by the agent. */
const longestLine = 64

const answerLine = /^(\d{1,15}) (cwd|on|\d{1,3})$/

export interface AgentStreams {
  readonly requests: Writable
  readonly answers: Readable
  /** Ends the agent and everything else inside. */
  readonly kill: () => void
}

export function connectAgent({ requests, answers, kill }: AgentStreams): Agent {
  const waiting = new Map<number, (answer: AgentAnswer) => void>()
  const ready = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  // Whoever asked for the sandbox hears of it; nobody else has to.
  ready.promise.catch(() => {})
  let isGone = false
  let runs = 0
  let heard = 0

  const read = (line: string) => {
    if (line === "ready") return ready.resolve()
    const [, run, word] = answerLine.exec(line) ?? []
    // Only a command that wrote into the agent's memory makes it say anything else.
    if (run === undefined) return kill()
    heard += 1
    if (word === "on") return
    const settle = waiting.get(Number(run))
    waiting.delete(Number(run))
    settle?.(word === "cwd" ? { kind: "no-directory" } : { kind: "exited", exitCode: Number(word) })
  }
  const end = () => {
    isGone = true
    gone.resolve()
    ready.reject(new Error("The agent inside the sandbox ended before it was ready."))
    for (const settle of waiting.values()) settle({ kind: "agent-gone" })
    waiting.clear()
  }
  let rest = ""
  answers.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = (lines.pop() ?? "").slice(-longestLine)
    for (const line of lines) read(line)
  })
  answers.once("close", end).on("error", end)
  requests.on("error", end)

  const endings = batchEndings((line) => requests.write(line))

  return {
    heard: () => heard,
    ready: ready.promise,
    gone: gone.promise,
    kill,
    run(slot) {
      runs += 1
      const run = runs
      const { promise: answer, resolve } = Promise.withResolvers<AgentAnswer>()
      if (isGone) resolve({ kind: "agent-gone" })
      else waiting.set(run, resolve)
      requests.write(`run ${run} ${slot}\n`)
      let last = heard
      let silent = 0
      return {
        answer,
        ask: () => {
          silent = heard === last ? silent + 1 : 0
          last = heard
          // A command can stop the agent; what is inside is of no use then.
          if (silent > limits.sandbox.silentAsks) return kill()
          requests.write(`ask ${run} ${slot}\n`)
        },
        signal: (signal, mark) => {
          endings.add(signal, `${run}:${slot}:${mark}`)
        },
      }
    },
  }
}
