import { format, inspect, styleText } from "node:util"
import { ownFileProblem } from "../../contract/index.ts"
import { printable, printableJson } from "../../kit/index.ts"

type Style = Parameters<typeof styleText>[0]

/**
 * Where a command writes: answers to standard output, everything else to standard error. Whatever a person reads is
 * made printable here, so nothing that it quotes can steer their terminal; only `style` and `status` can.
 */
export interface Terminal {
  /** A person reads standard output and did not ask for JSON. */
  readonly forPeople: boolean
  /** Standard error is a terminal, so progress can be shown on it. */
  readonly showsProgress: boolean
  /** A text for people, wherever it goes. */
  print(text: string): Promise<void>
  /** An answer for a program: on a pipe to the byte, on a terminal as a person can read it. */
  printAnswer(text: string): Promise<void>
  /** The same as JSON; on a terminal it is indented, and what steers one is escaped. */
  printJson(value: unknown, indent?: number): Promise<void>
  /** A text for people on standard error. */
  note(text: string): void
  /** On standard error, a line that the next one takes the place of; null takes it away. */
  status(text: string | null): void
  /** On a terminal at standard error, lines that the next ones take the place of; none takes them away. */
  panel(lines: readonly string[]): void
  /** From now on, a standard output that can't be written does not end the program: it serves others. */
  outliveOutput(): void
  /** Puts a style on a text that `print`, `note` or `status` is given. */
  style(style: Style, text: string): string
}

export function createTerminal(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): Terminal {
  let outlivesOutput = false
  let panelRows = 0
  // A reader that has seen enough (`| head`) closes the pipe: that ends the command, quietly.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (outlivesOutput) return
    if (error.code === "EPIPE") process.exit(0)
    stderr.write(
      `toolkeep: the answer could not be written: ${ownFileProblem(error) ?? error.message}\n`,
    )
    process.exit(1)
  })
  // Notes that nobody reads any more are no reason to end.
  stderr.on("error", () => {})
  const forPeople = stdout.isTTY === true
  const styles = createStyles(stdout)
  const write = (text: string) =>
    new Promise<void>((resolve) => {
      stdout.write(text, () => resolve())
    })
  return {
    forPeople,
    showsProgress: stderr.isTTY === true,
    print: (text) => write(styles.shown(text, stdout)),
    printAnswer: (text) => write(forPeople ? printable(text) : text),
    printJson: (value, indent = forPeople ? 2 : 0) => {
      const json = `${JSON.stringify(value, null, indent)}\n`
      return write(forPeople ? printableJson(json) : json)
    },
    note: (text) => {
      stderr.write(styles.shown(text, stderr))
    },
    status: (text) => {
      const line = text === null ? "" : styles.shown(text.replaceAll("\n", " "), stderr)
      stderr.write(`\r${controlSequence}K${line}`)
    },
    panel: (lines) => {
      const most = Math.max(1, (stderr.rows || 24) - 2)
      const shown = lines.slice(-most).map((line) => styles.shown(oneLine(line), stderr))
      // Lines are not wrapped meanwhile, so each of them is one row.
      const drawn = shown.map((line) => `${line}\n`).join("")
      const text = drawn === "" ? "" : `${controlSequence}?7l${drawn}${controlSequence}?7h`
      const back = panelRows === 0 ? "" : `${controlSequence}${panelRows}A\r${controlSequence}J`
      panelRows = shown.length
      if (back !== "" || text !== "") stderr.write(`${back}${text}`)
    },
    outliveOutput: () => {
      outlivesOutput = true
    },
    style: styles.put,
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\n\t]/g, " ")
}

/** Warnings of libraries: they quote what servers sent, and standard output is not theirs. */
export function guardConsole({ note }: Pick<Terminal, "note">): void {
  const say = (...said: unknown[]) => note(`${format(...said)}\n`)
  Object.assign(console, { debug: say, error: say, info: say, log: say, trace: say, warn: say })
}

/** An error that escaped ends a command that holds none back: said here, and not by Node, which prints what it quotes. */
export function guardFaults({ note }: Pick<Terminal, "note">): void {
  process.on("uncaughtException", (error) => {
    // Code that catches errors, as a server does, has reported it.
    if (process.listenerCount("uncaughtException") > 1) return
    note(`toolkeep: unexpected error: ${inspect(error)}\n`)
    process.exit(1)
  })
}

const faultsPerSecond = 10
const longestFault = 1_000

/** Errors that escaped, as one line each for the person who runs the program. */
export function faultLog(terminal: Terminal) {
  return {
    log: (sentence: string) => {
      const line = sentence.replaceAll(/\s+/g, " ").slice(0, longestFault)
      terminal.note(`toolkeep: ${line}\n`)
    },
    mostPerSecond: faultsPerSecond,
  }
}

const controlSequence = "\u001b["

/**
 * In the place of an escape, a style has a word that nobody outside can know. So a text from outside has none: its
 * own escapes are marked, like all else that steers.
 */
function createStyles(stdout: NodeJS.WriteStream) {
  let word: string | null = null
  return {
    put(style: Style, text: string): string {
      if (!stdout.isTTY) return text
      word ??= crypto.randomUUID()
      const styled = styleText(style, "\0", { stream: stdout, validateStream: true })
      return styled.replaceAll(controlSequence, word).replace("\0", () => text)
    },
    /** The text as a person may see it, styled where the stream is a terminal. */
    shown(text: string, stream: NodeJS.WriteStream): string {
      const [first = "", ...rest] = word === null ? [text] : text.split(word)
      const pieces = rest.map((piece) => {
        const code = piece.slice(0, piece.indexOf("m") + 1)
        return `${stream.isTTY ? `${controlSequence}${code}` : ""}${printable(piece.slice(code.length))}`
      })
      return printable(first) + pieces.join("")
    },
  }
}
