import type { RunResult, WaitingQuestion } from "../../agent/index.ts"
import { groupDigits, quoteArguments } from "../../kit/index.ts"
import type { Terminal } from "../output/terminal.ts"

interface Ending {
  readonly terminal: Terminal
  readonly session: string
  /** Whether the person has seen the model's last words. */
  readonly wasShown: boolean
  /** Standard output has the entries of the record, and nothing else. */
  readonly asEntries: boolean
}

const exitCodes = { finished: 0, completed: 0, failed: 1, limit: 3, waiting: 4, aborted: 130 }

/** Says how a run ended, and returns the exit code. */
export async function printEnd(result: RunResult, ending: Ending): Promise<number> {
  const { terminal, asEntries } = ending
  switch (result.why) {
    case "finished":
    case "completed":
      if (!asEntries) await printAnswer(result, ending)
      break
    case "limit":
      terminal.note(`toolkeep: the run ended at its limit, ${result.limit}.\n`)
      break
    case "failed":
      terminal.note(`toolkeep: ${result.text}\n`)
      break
    case "waiting":
      terminal.note(`${waitingLines(result.questions).join("\n")}\n`)
      break
    case "aborted":
      break
    default:
      result satisfies never
  }
  if (!asEntries) terminal.note(`${terminal.style("dim", summary(result, ending.session))}\n`)
  return exitCodes[result.why]
}

type Done = Extract<RunResult, { why: "finished" | "completed" }>

async function printAnswer({ text, value, why }: Done, ending: Ending): Promise<void> {
  const { terminal, wasShown } = ending
  if (value !== undefined) return terminal.printJson(value)
  const isSeen = wasShown && terminal.forPeople && why === "finished"
  if (!isSeen) await terminal.print(`${text.trim()}\n`)
}

function waitingLines(questions: readonly WaitingQuestion[]): readonly string[] {
  const many = questions.length === 1 ? "A question waits" : `${questions.length} questions wait`
  return [
    `toolkeep: ${many} for you.`,
    ...questions.flatMap(({ id, text }) => [
      "",
      ...text.split("\n").map((line) => `  ${line}`),
      `  Answer it: toolkeep approve ${id} [--always | --deny REASON | --edit JSON | --say TEXT]`,
    ]),
  ]
}

function summary({ why, spent }: RunResult, session: string): string {
  const { rounds, calls, tokens, cost } = spent
  const counted = [
    count(rounds, "round"),
    count(calls, "call"),
    count(tokens, "token"),
    ...(cost > 0 ? [`a cost of ${cost.toFixed(4)}`] : []),
  ]
  const done = `${why} after ${counted.join(", ")}`
  const name = /^[\w.-]+$/.test(session) ? session : quoteArguments([session])
  switch (why) {
    case "finished":
    case "completed":
      return `${done}; continue: toolkeep run --session ${name} "..."`
    case "waiting":
      return `${done}; session ${name}`
    default:
      return `${done}; continue: toolkeep run --session ${name} --continue`
  }
}

function count(number: number, what: string): string {
  return `${groupDigits(number)} ${what}${number === 1 ? "" : "s"}`
}
