import { FitAddon } from "@xterm/addon-fit"
import { type ITheme, Terminal as Screen } from "@xterm/xterm"
import "@xterm/xterm/css/xterm.css"
import { client } from "../../../state/client.ts"
import { defineSheetElement } from "./sheet-element.ts"

interface ScreenOptions {
  readonly session: string
  readonly sandbox: string
  readonly host: HTMLElement
  readonly signal: AbortSignal
  readonly onOpen: () => void
}

/** Draws a terminal of the sandbox until it ends, and says how it ended. */
export async function openScreen(options: ScreenOptions): Promise<string> {
  const { session, sandbox, host, signal, onOpen } = options
  defineSheetElement()
  const screen = new Screen({
    fontFamily: getComputedStyle(host).fontFamily,
    fontSize: 13,
    scrollback: 10_000,
    theme: themeOf(host),
  })
  const fit = new FitAddon()
  screen.loadAddon(fit)
  screen.open(host)
  fit.fit()
  const sizes = new ResizeObserver(() => fit.fit())
  sizes.observe(host)
  try {
    const terminal = await client().terminal(
      { session, sandbox, columns: screen.cols, rows: screen.rows },
      { signal },
    )
    onOpen()
    screen.focus()
    screen.onData((text) => void terminal.write(text))
    screen.onBinary(
      (text) => void terminal.write(Uint8Array.from(text, (one) => one.charCodeAt(0))),
    )
    screen.onResize(({ cols, rows }) => void terminal.resize(cols, rows))
    // The next piece is asked for when this one is drawn, so a flood waits at its source.
    for await (const bytes of terminal.output) {
      await new Promise<void>((resolve) => screen.write(bytes, resolve))
    }
    const ending = await terminal.ended
    if (ending.kind === "exited") return `The shell ended with ${ending.exitCode}.`
    return ending.kind === "gone" ? ending.why : "The terminal is closed."
  } finally {
    sizes.disconnect()
    screen.dispose()
  }
}

function themeOf(host: HTMLElement): ITheme {
  const { color, backgroundColor } = getComputedStyle(host)
  return { foreground: color, background: backgroundColor, cursor: color }
}
