import { describe, expect, it } from "vitest"
import { parseAnsi } from "./parse-ansi.ts"

const esc = "\u001b"

describe("what a program printed", () => {
  it("X4: has colours and weight, and they end where the program ends them", () => {
    expect(parseAnsi(`a ${esc}[1;31mred${esc}[0m b ${esc}[92mgreen${esc}[39m c`)).toEqual([
      { text: "a ", look: "" },
      { text: "red", look: "fg-1 bold" },
      { text: " b ", look: "" },
      { text: "green", look: "fg-10" },
      { text: " c", look: "" },
    ])
  })

  it("X4: moves no cursor, sets no title, makes no link and hides nothing", () => {
    const tricks = [
      ...[`${esc}[2J`, `${esc}[1A`, `${esc}]0;title\u0007`, `${esc}]8;;http://evil${esc}\\`],
      ...[`${esc}[8m`, `${esc}[?25l`, `${esc}c`, `${esc}P1;2q${esc}\\`],
    ]
    for (const trick of tricks) {
      expect(parseAnsi(`a${trick}b`)).toEqual([{ text: "ab", look: "" }])
    }
  })

  it("X4: a colour that is not the terminal's own is left out with all of its numbers", () => {
    expect(parseAnsi(`${esc}[38;2;255;255;255;1mx`)).toEqual([{ text: "x", look: "bold" }])
    expect(parseAnsi(`${esc}[38;5;9;48;5;200mx`)).toEqual([{ text: "x", look: "fg-9" }])
  })

  it("O4: a progress bar is its last state", () => {
    expect(parseAnsi("10%\r50%\r100%\ndone\r\n")).toEqual([{ text: "100%\ndone\n", look: "" }])
  })
})
