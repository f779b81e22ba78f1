/** A piece of a terminal's text with one look. */
export interface AnsiPiece {
  readonly text: string
  /** Class names, such as "fg-1 bold"; "" for none. */
  readonly look: string
}

interface Look {
  fg: number | null
  bg: number | null
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
}

/** Sequences that steer a terminal: only colours (ending in m) have an effect here, the rest is left out. */
const sequence =
  /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g

/** Text as a terminal would colour it. Nothing in it moves a cursor, hides text or sets a title. */
export function parseAnsi(text: string): readonly AnsiPiece[] {
  const whole = overwriteLines(text)
  if (!whole.includes("\u001b")) return whole === "" ? [] : [{ text: whole, look: "" }]
  const pieces: AnsiPiece[] = []
  const look = plainLook()
  let end = 0
  const add = (piece: string) => {
    const classes = lookOf(look)
    const last = pieces.at(-1)
    if (piece === "") return
    if (last?.look === classes) pieces[pieces.length - 1] = { ...last, text: last.text + piece }
    else pieces.push({ text: piece, look: classes })
  }
  for (const found of whole.matchAll(sequence)) {
    add(whole.slice(end, found.index))
    end = found.index + found[0].length
    if (found[2] === "m") setLook(look, found[1] ?? "")
  }
  add(whole.slice(end))
  return pieces
}

/** A progress bar writes over its line: what it wrote last is what a person saw. */
function overwriteLines(text: string): string {
  if (!text.includes("\r")) return text
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  return lines.map(lastWritten).join("\n")
}

function lastWritten(line: string): string {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line
  return whole.slice(whole.lastIndexOf("\r") + 1)
}

function plainLook(): Look {
  return { fg: null, bg: null, bold: false, dim: false, italic: false, underline: false }
}

function setLook(look: Look, codes: string): void {
  const numbers = codes.split(/[;:]/).map(Number)
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0
    if (code === 38 || code === 48) {
      at += 1
      // Of 256 colours the first sixteen are the terminal's own; other colours might hide text on our ground.
      const isIndexed = numbers[at] === 5
      const index = isIndexed ? (numbers[at + 1] ?? 0) : null
      at += isIndexed ? 1 : 3
      const colour = index !== null && index < 16 ? index : null
      if (code === 38) look.fg = colour
      else look.bg = colour
    } else setOne(look, code)
  }
}

function setOne(look: Look, code: number): void {
  if (code === 0) Object.assign(look, plainLook())
  if (code === 1) look.bold = true
  if (code === 2) look.dim = true
  if (code === 3) look.italic = true
  if (code === 4) look.underline = true
  if (code === 22) Object.assign(look, { bold: false, dim: false })
  if (code === 23) look.italic = false
  if (code === 24) look.underline = false
  if (code >= 30 && code <= 37) look.fg = code - 30
  if (code === 39) look.fg = null
  if (code >= 40 && code <= 47) look.bg = code - 40
  if (code === 49) look.bg = null
  if (code >= 90 && code <= 97) look.fg = code - 82
  if (code >= 100 && code <= 107) look.bg = code - 92
}

function lookOf({ fg, bg, bold, dim, italic, underline }: Look): string {
  const classes = [
    fg !== null && `fg-${fg}`,
    bg !== null && `bg-${bg}`,
    bold && "bold",
    dim && "dim",
    italic && "italic",
    underline && "underline",
  ]
  return classes.filter(Boolean).join(" ")
}
