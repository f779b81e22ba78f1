import { describe, expect, it } from "vitest"
import { callState, canTerminate, type StateKind, stateText, stateTones } from "./call-state.ts"
import { type CallCard, cardFrom, type Entry, unknownCall } from "./card.ts"

const call = "call-1"
let sequence = 0
function entry(kind: string, body: object, at_ms = 1_000): Entry {
  sequence += 1
  return { sequence, parent: null, kind, at_ms, body: { call, ...body } }
}
function cardOf(...entries: Entry[]): CallCard {
  const card = cardFrom(call, entries)
  if (card.kind !== "call") throw new Error("not a call")
  return card
}

const requested = entry("call", { tool: "shell.exec", input: { command: "true" } })
const asked = entry("question", { prompt: "May it run?" }, 2_000)
const approved = entry("answer", { answer: { kind: "approved", by: "phone" } }, 5_000)
const ended = (envelope: object, more: object = {}) =>
  cardOf(requested, entry("envelope", { envelope, duration_ms: 7, ...more }))
const success = (result: object, warnings?: string[]) =>
  ended({ ok: true, tool: "shell.exec", result, ...(warnings && { warnings }) })
const failure = (kind: string) =>
  ended({ ok: false, tool: "shell.exec", kind, message: "No.", retryable: false })

const states: Readonly<Record<StateKind, CallCard>> = {
  requested: unknownCall(call, 1_000, "web.fetch"),
  waiting: cardOf(requested, asked),
  running: cardOf(requested, asked, approved),
  ending: cardOf(requested),
  ok: success({ kind: "command", exit_code: 0 }),
  exited: success({ kind: "command", exit_code: 3 }),
  warned: success({ kind: "command", exit_code: 0 }, ["It wrote no output."]),
  refused: failure("rejected"),
  denied: failure("user_denied"),
  invalid: failure("invalid_args"),
  "timed-out": failure("timeout"),
  "ended-by-person": success({ kind: "command", exit_code: 143, killed_by: "user" }),
  failed: failure("execution_error"),
  interrupted: ended({ ok: false, tool: "x", kind: "unavailable" }, { interrupted: "unknown" }),
}

describe("the state of a card", () => {
  it.each(Object.entries(states))("X7, O4: a call can be %s, with words for it", (kind, card) => {
    const state = callState(card, kind === "ending" ? { endingMs: 3_000 } : {})
    expect(state.kind).toBe(kind)
    expect(stateText(state)).not.toBe("")
    expect(stateTones[state.kind]).not.toBe("")
  })

  it("X7: a command that its timeout ended is timed out, though it has an exit code", () => {
    const card = success({ kind: "command", exit_code: 124, timed_out: true })
    expect(callState(card).kind).toBe("timed-out")
  })

  it("X7: a tool without output that a person ended is not a failure of its own", () => {
    const card = failure("execution_error")
    expect(callState(card, { endingMs: 1 }).kind).toBe("ended-by-person")
  })

  it("X7: what waits says until when; what was answered runs from that moment", () => {
    const question = { expires_ms: 9_000 }
    expect(callState(states.waiting, { question })).toEqual({ kind: "waiting", expiresMs: 9_000 })
    expect(callState(states.running)).toEqual({ kind: "running", sinceMs: 5_000 })
  })

  it("X7: only a call that has run for a second can be terminated", () => {
    const state = callState(states.running)
    expect(canTerminate(state, 5_999)).toBe(false)
    expect(canTerminate(state, 6_000)).toBe(true)
    expect(canTerminate(callState(states.waiting), 90_000)).toBe(false)
  })

  it("X7: an interrupted call says whether it had done anything", () => {
    const harmless = ended({ ok: false, tool: "x" }, { interrupted: "harmless" })
    expect(stateText(callState(harmless))).toBe("not run: restarted")
    expect(stateText(callState(states.interrupted))).toBe("interrupted by a restart")
  })
})
