import type { Clarify } from "../../agent/index.ts"
import { parseObject } from "../../contract/index.ts"
import { KeyedLock, markUnseen } from "../../kit/index.ts"
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../runtime/index.ts"
import { canAsk, dropTypedAhead, readLine } from "../output/ask-on-terminal.ts"
import type { Terminal } from "../output/terminal.ts"

interface Asking {
  readonly terminal: Terminal
  /** Holds back what else would be shown while the person is asked. */
  readonly pause: () => () => void
}

/** How a run asks the person at the terminal, one question after the other; null without a terminal. */
export function askPerson({ terminal, pause }: Asking): {
  readonly approve: Approver
  readonly clarify: Clarify
} | null {
  if (!canAsk(terminal)) return null
  const turns = new KeyedLock()
  const { note, style } = terminal
  const inTurn = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const release = await turns.acquire("terminal", "exclusive")
    const resume = pause()
    try {
      await dropTypedAhead()
      return await ask()
    } finally {
      resume()
      release()
    }
  }
  async function approveNow(
    { question, fingerprint, input }: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer> {
    note(`${question}\n`)
    for (;;) {
      signal.throwIfAborted()
      note(`${style("bold", choices)} `)
      const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(await readLine(signal)) ?? []
      switch (word.toLowerCase()) {
        case "y":
        case "yes":
          return { kind: "approved", fingerprint, by }
        case "a":
        case "always":
          return { kind: "approved", fingerprint, always: true, by }
        case "e":
        case "edit": {
          const edited = parseObject(rest === "" ? await readEdit(input, signal) : rest)
          if (edited) return { kind: "edited", input: edited, by }
          note("These arguments are not a JSON object.\n")
          break
        }
        case "n":
        case "no":
        case "":
          return { kind: "denied", by, ...(rest !== "" && { reason: rest }) }
        default:
          note(`"${word}" is not one of the answers.\n`)
      }
    }
  }
  function readEdit(input: unknown, signal: AbortSignal): Promise<string> {
    note(`${JSON.stringify(input)}\nNew arguments, as one line of JSON: `)
    return readLine(signal)
  }
  return {
    approve: (request, signal) => inTurn(() => approveNow(request, signal)),
    clarify: ({ question, options }, signal) =>
      inTurn(async () => {
        signal.throwIfAborted()
        const listed = options
          .map((option, index) => `  ${index + 1} ${markUnseen(option)}\n`)
          .join("")
        note(`${style("bold", question)}\n${listed}> `)
        const answer = (await readLine(signal)).trim()
        return options[Number(answer) - 1] ?? answer
      }),
  }
}

const by = "the person at the terminal"

const choices = "Allow this call? [y]es, [a]lways in this session, [e]dit, [n]o and why:"
