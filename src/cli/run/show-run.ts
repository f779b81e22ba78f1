import type { Delta } from "../../agent/index.ts"
import { markUnseen } from "../../kit/index.ts"
import type { CallEvent } from "../../runtime/index.ts"
import type { Session } from "../../session/index.ts"
import { describeEnding, describeInput } from "../output/show-calls.ts"
import { showMarkdown } from "../output/show-markdown.ts"
import { createPieces } from "../output/show-progress.ts"
import type { Terminal } from "../output/terminal.ts"
import { OutputLines } from "./output-lines.ts"

const tickMs = 200
const firstTickMs = 700
const shownLines = 3
/** A line of the model that is longer than this is shown before it is complete. */
const longLine = 60

/** What a person sees of a run: on a terminal as it happens, elsewhere as lines. */
export interface RunView {
  onDelta(delta: Delta): void
  onEvent(event: CallEvent, at: { readonly session: Session; readonly depth: number }): void
  /** A line about the run. */
  note(text: string): void
  /** Holds everything back until the returned function is called. */
  pause(): () => void
  /** The run is over. Returns whether the model's last words were shown. */
  end(): boolean
}

export interface ViewOptions {
  readonly terminal: Terminal
  /** Whether a call waits for a person who answers later. */
  readonly isParked: (call: string) => boolean
}

interface Card {
  readonly tool: string
  readonly depth: number
  readonly startedAt: number
  readonly output: OutputLines
  input: unknown
}

export function showRun({ terminal, isParked }: ViewOptions): RunView {
  const { style } = terminal
  const isLive = terminal.showsProgress
  const cards = new Map<string, Card>()
  let heldBack: string[] | null = null
  let todo = ""
  // The model's current text: a terminal shows it line by line, other outputs when something follows it.
  let words = ""
  let pieces = createWords()
  const markdown = showMarkdown(terminal)
  let quietSince = performance.now()

  const draw = () => {
    if (isLive && heldBack === null) terminal.panel(panelLines())
  }
  const timer = isLive ? setInterval(draw, tickMs) : null
  timer?.unref()

  function panelLines(): readonly string[] {
    if (cards.size === 0) {
      const line = markdown.pending()
      if (line.length > longLine) return [line]
      const ms = performance.now() - quietSince
      return ms < firstTickMs ? [] : [style("dim", `the model works, ${seconds(ms)}`)]
    }
    return [...cards.values()].flatMap((card) => {
      const { tool, depth, input, startedAt, output } = card
      const indent = "  ".repeat(depth)
      const time = style("dim", seconds(performance.now() - startedAt))
      return [
        `${indent}${style("cyan", ">")} ${style("bold", tool)} ${time}${describeInput(input)}`,
        ...output.last(shownLines).map((line) => style("dim", `${indent}    ${line}`)),
      ]
    })
  }
  function say(text: string): void {
    if (heldBack) {
      heldBack.push(text)
      return
    }
    if (isLive) terminal.panel([])
    terminal.note(text)
  }
  /** What follows the model's text begins on a new line. */
  function endWords(): void {
    if (isLive) {
      const rest = markdown.add(pieces.end()) + markdown.end()
      if (rest !== "") say(`${rest}\n`)
    } else if (words.trim() !== "") say(`${words.trim()}\n`)
    words = ""
    pieces = createWords()
  }
  function endCard(event: Extract<CallEvent, { kind: "call-ended" }>, session: Session): void {
    const { callId, envelope } = event
    const tool = markUnseen(event.tool)
    const card = cards.get(callId)
    cards.delete(callId)
    quietSince = performance.now()
    const indent = "  ".repeat(card?.depth ?? 0)
    if (envelope.ok && tool === "complete") return
    if (envelope.ok && tool === "todo") {
      const list = session.show(envelope)
      if (list !== todo) say(`${list.replaceAll(/^/gm, `${indent}  `)}\n`)
      todo = list
      return
    }
    const ending = isParked(callId)
      ? style("yellow", "waits for an answer")
      : describeEnding(envelope, terminal)
    const head = `${indent}${style("cyan", "*")} ${style("bold", tool)} ${ending}`
    const took = style("dim", seconds(event.durationMs))
    const lines = card?.output.last(shownLines) ?? []
    const printed = lines.map((line) => style("dim", `${indent}    ${line}`))
    say(`${[`${head} ${took}${describeInput(card?.input)}`, ...printed].join("\n")}\n`)
  }

  return {
    onDelta({ kind, text }) {
      if (kind !== "text") return
      if (!isLive) {
        words += text
        return
      }
      words += text
      const shown = markdown.add(pieces.add(text))
      if (shown !== "") say(shown)
      draw()
    },
    onEvent(event, { session, depth }) {
      const { callId } = event
      const tool = markUnseen(event.tool)
      switch (event.kind) {
        case "call-requested":
          if (depth === 0) endWords()
          cards.set(callId, {
            ...{ tool, depth, startedAt: performance.now(), input: null },
            output: new OutputLines(),
          })
          break
        case "call-checked": {
          const card = cards.get(callId)
          if (card) card.input = event.input
          break
        }
        case "call-started":
          // Without a terminal, this line says what is running.
          if (!isLive && !isSilent(tool)) {
            const input = describeInput(cards.get(callId)?.input)
            say(`${"  ".repeat(depth)}> ${tool}${input}\n`)
          }
          break
        case "call-output":
          cards.get(callId)?.output.add(event.chunk)
          break
        case "call-ended":
          endCard(event, session)
          draw()
          break
      }
    },
    note(text) {
      if (isLive) endWords()
      say(text)
      draw()
    },
    pause() {
      if (isLive) endWords()
      if (isLive) terminal.panel([])
      const held: string[] = []
      heldBack = held
      return () => {
        heldBack = null
        for (const text of held) say(text)
        draw()
      }
    },
    end() {
      if (timer) clearInterval(timer)
      if (isLive) terminal.panel([])
      const wasShown = isLive && words.trim() !== ""
      if (isLive) endWords()
      return wasShown
    },
  }
}

function isSilent(tool: string): boolean {
  return tool === "todo" || tool === "complete"
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** Joins pieces of text without splitting a character or a line ending. */
function createWords() {
  const held = createPieces()
  const encoder = new TextEncoder()
  return { add: (text: string) => held.add(encoder.encode(text)), end: () => held.end() }
}
