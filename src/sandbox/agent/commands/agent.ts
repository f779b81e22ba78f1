import type { Readable, Writable } from "node:stream"
import { sandboxLimits } from "../../limits.ts"

/** How a command is over. */
export type AgentAnswer =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "no-directory" }
  /** Why no more will be heard, as the beginning of a sentence. */
  | { readonly kind: "agent-gone"; readonly why: string }

/** The program inside a sandbox that starts commands there. */
export interface Agent {
  /** Resolves when it takes requests; rejects when it ends before that. */
  readonly ready: Promise<void>
  readonly gone: Promise<void>
  isGone(): boolean
  /** Whether a word to it and from it gets through now. */
  isReachable(): boolean
  /** How much it has said: one that says nothing more is stopped or has no room to work. */
  heard(): number
  /** How many commands it has said to be over. */
  ended(): number
  /** How many commands it has not said to be over. */
  running(): number
  /** Starts the command that was put into the slot; `hasPipe` for one whose input is a pipe. */
  run(slot: number, hasPipe: boolean): AgentRun
  /** Ends it, and with it everything inside: it does not answer any more, or not as it should. */
  kill(): void
}

export interface AgentRun {
  /** Resolves when the command has opened its input, if that is a pipe. */
  readonly opened: Promise<void>
  readonly answer: Promise<AgentAnswer>
  /** Has the agent look whether the command is over without having said so. Ends it when it is silent. */
  ask(): void
  /** Asks all that the command has started to end. */
  terminate(mark: string): void
  /** Kills all of it. Resolves when it is killed or the agent gone: the command itself may be over long before. */
  kill(mark: string): Promise<void>
}

/** A line that is longer was not written by the agent. */
const longestLine = 64

const answerLine = /^(\d{1,15}) (cwd|on|open|killed|\d{1,3})$/

export interface AgentStreams {
  readonly requests: Writable
  readonly answers: Readable
  /** Ends the agent and everything else inside; resolves when they are gone. */
  readonly kill: () => void | Promise<void>
  /** Absent where a word always gets through. */
  readonly isReachable?: (() => boolean) | undefined
}

const agentEnded = "The sandbox's own process ended"
const connectionLost = "The connection to the sandbox was lost"

export function connectAgent(streams: AgentStreams): Agent {
  const { requests, answers, kill, isReachable = () => true } = streams
  const waiting = new Map<number, { settle(answer: AgentAnswer): void; open(): void }>()
  const killing = new Map<number, () => void>()
  const owed = new OwedAnswers()
  const ready = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  // The caller that asked for the sandbox gets the error; no other has to.
  ready.promise.catch(() => {})
  let state: "starting" | "ready" | "killed" | "gone" = "starting"
  let runs = 0
  let heard = 0
  let ended = 0
  let goneAnswer: AgentAnswer = { kind: "agent-gone", why: agentEnded }

  const end = () => {
    const why = isReachable() || state === "killed" ? agentEnded : connectionLost
    goneAnswer = { kind: "agent-gone", why }
    state = "gone"
    gone.resolve()
    ready.reject(new Error("The agent inside the sandbox ended before it was ready."))
    for (const { settle } of waiting.values()) settle(goneAnswer)
    waiting.clear()
    for (const settle of killing.values()) settle()
    killing.clear()
  }
  /** Nothing is read any more: a flood would cost this process more than it costs the sandbox. */
  const endAgent = () => {
    if (state === "killed" || state === "gone") return
    state = "killed"
    answers.pause()
    const close = () => answers.destroy()
    const late = setTimeout(close, sandboxLimits.agentEndMs)
    Promise.resolve(kill())
      .catch(() => {})
      .finally(() => clearTimeout(late))
      .finally(close)
  }

  /** False for what the agent does not say: a command wrote into its memory. */
  const read = (line: string): boolean => {
    if (line === "ready" && state === "starting") {
      state = "ready"
      ready.resolve()
      return true
    }
    const [, digits, word] = answerLine.exec(line) ?? []
    const run = Number(digits)
    if (digits === undefined || !owed.take(run)) return false
    heard += 1
    if (word === "on") return true
    const about = waiting.get(run)
    if (word === "open") {
      about?.open()
      return true
    }
    if (waiting.delete(run)) ended += 1
    if (word === "killed") {
      killing.get(run)?.()
      killing.delete(run)
      about?.settle({ kind: "exited", exitCode: 137 })
    } else if (word !== "cwd") about?.settle({ kind: "exited", exitCode: Number(word) })
    else {
      // The process that reports says how it ended all the same.
      if (about) owed.add(run)
      about?.settle({ kind: "no-directory" })
    }
    return true
  }
  let rest = ""
  answers.setEncoding("latin1").on("data", (text: string) => {
    if (state === "killed") return
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    if (rest.length > longestLine || !lines.every(read)) endAgent()
  })
  answers.once("close", end).on("error", end)
  requests.on("error", endAgent)

  const endings = batchEndings((line) => requests.write(line))

  return {
    heard: () => heard,
    ended: () => ended,
    running: () => waiting.size,
    ready: ready.promise,
    gone: gone.promise,
    isGone: () => state === "gone",
    isReachable,
    kill: endAgent,
    run(slot, hasPipe) {
      runs += 1
      const run = runs
      const { promise: answer, resolve: settle } = Promise.withResolvers<AgentAnswer>()
      const { promise: opened, resolve: open } = Promise.withResolvers<void>()
      if (state === "gone") settle(goneAnswer)
      else waiting.set(run, { settle, open })
      owed.add(run)
      if (hasPipe) owed.add(run)
      requests.write(`run ${run} ${slot}\n`)
      let last = heard
      let silent = 0
      return {
        answer,
        opened,
        ask: () => {
          silent = heard === last && isReachable() ? silent + 1 : 0
          last = heard
          // A command can stop the agent; what is inside is of no use then.
          if (silent > sandboxLimits.silentAsks) return endAgent()
          owed.add(run)
          requests.write(`ask ${run} ${slot}\n`)
        },
        terminate: (mark) => endings.add("TERM", `${run}:${slot}:${mark}`),
        kill: (mark) => {
          const { promise, resolve } = Promise.withResolvers<void>()
          if (state === "gone") resolve()
          else killing.set(run, resolve)
          owed.add(run)
          endings.add("KILL", `${run}:${slot}:${mark}`)
          return promise
        },
      }
    },
  }
}

/**
 * How many lines the agent still has to say about each run. Every request is answered by a known number of
 * lines, so that one more was not written by the agent: a flood is detected by the first line too many.
 */
class OwedAnswers {
  readonly #counts = new Map<number, number>()

  add(run: number): void {
    this.#counts.set(run, (this.#counts.get(run) ?? 0) + 1)
    // A process that was killed before it could report owes its line for ever.
    if (this.#counts.size <= sandboxLimits.owedAnswers) return
    const [oldest] = this.#counts.keys()
    if (oldest !== undefined) this.#counts.delete(oldest)
  }

  /** False for a line that nobody asked for. */
  take(run: number): boolean {
    const count = this.#counts.get(run)
    if (count === undefined) return false
    if (count > 1) this.#counts.set(run, count - 1)
    else this.#counts.delete(run)
    return true
  }
}

export type EndingSignal = "TERM" | "KILL"

/** Those that come within this time of each other are one request. */
const gatherMs = 5

/** A request of the agent's is one line of bounded length. */
const mostAtOnce = 100

/**
 * For each request to end commands the agent looks at all processes inside. When hundreds are to end at
 * the same time, one look has to do for many of them.
 */
function batchEndings(send: (line: string) => void): {
  add(signal: EndingSignal, command: string): void
} {
  const waiting: Record<EndingSignal, string[]> = { TERM: [], KILL: [] }
  let timer: NodeJS.Timeout | null = null
  let sent = Number.NEGATIVE_INFINITY

  function flush(): void {
    timer = null
    sent = performance.now()
    for (const signal of ["TERM", "KILL"] as const) {
      const commands = waiting[signal].splice(0)
      for (let at = 0; at < commands.length; at += mostAtOnce) {
        send(`end ${signal} ${commands.slice(at, at + mostAtOnce).join(" ")}\n`)
      }
    }
  }

  return {
    add(signal, command) {
      waiting[signal].push(command)
      // The first one of a crowd does not wait for the others.
      const passed = performance.now() - sent
      if (timer === null && passed > gatherMs) setImmediate(flush)
      else timer ??= setTimeout(flush, gatherMs)
    },
  }
}
