import { describe, expect, it } from "vitest"
import { indentedCommands, markdownBlocks } from "./markdown-blocks.ts"
import { anchorsOf, localLinks } from "./markdown-links.ts"
import { isShownOutput, shownCommands } from "./transcript.ts"

const fenced = (language: string, ...lines: string[]) =>
  ["```".concat(language), ...lines, "```"].join("\n")

describe("blocks of a document", () => {
  it("are found with their language and line, in a list and with longer fences too", () => {
    const markdown = [
      "# Title",
      fenced("sh", "echo hi"),
      "- item",
      "  ```ts",
      "  const a = 1",
      "  ```",
      "````text",
      "```sh",
      "````",
      "```",
      "nothing",
      "```",
    ].join("\n")
    expect(markdownBlocks(markdown)).toEqual([
      { language: "sh", line: 3, lines: ["echo hi"] },
      { language: "ts", line: 7, lines: ["const a = 1"] },
      { language: "text", line: 10, lines: ["```sh"] },
      { language: "", line: 13, lines: ["nothing"] },
    ])
  })

  it("made by indentation are reported when they hold commands", () => {
    const markdown = ["    npm start", fenced("sh", "    npx toolkeep"), "\t$ ls", "    text"]
    expect(indentedCommands(markdown.join("\n"))).toEqual(["npm start", "$ ls"])
  })
})

describe("links of a document", () => {
  it("are found with file and anchor, outside of blocks and without other sites", () => {
    const markdown = [
      "[a](a.md), [b](../b.md#two-words) and [c](#c)",
      fenced("text", "[d](d.md)"),
      "[e](https://example.com)",
    ]
    expect(localLinks(markdown.join("\n"))).toEqual([
      { path: "a.md", anchor: "" },
      { path: "../b.md", anchor: "two-words" },
      { path: "", anchor: "c" },
    ])
  })

  it("lead to headlines by GitHub's anchors", () => {
    const markdown = ["# Two words", fenced("sh", "# a comment"), "### `mcpServers`, and (more)"]
    expect(anchorsOf(markdown.join("\n"))).toEqual(["two-words", "mcpservers-and-more"])
  })
})

describe("shell blocks", () => {
  const read = (...lines: string[]) => shownCommands({ language: "sh", line: 10, lines })

  it("without a prompt hold one command a line", () => {
    expect(read("echo one", "", "# a comment", "echo two \\", "  three # exit 3")).toEqual([
      { line: 10, command: "echo one", exitCode: 0, output: null },
      { line: 13, command: "echo two \\\n  three # exit 3", exitCode: 3, output: null },
    ])
  })

  it("with a prompt hold commands and what they print", () => {
    expect(read("$ echo one", "one", "", "two", "$ false # exit 1", "$ ls")).toEqual([
      { line: 10, command: "echo one", exitCode: 0, output: "one\n\ntwo" },
      { line: 14, command: "false # exit 1", exitCode: 1, output: null },
      { line: 15, command: "ls", exitCode: 0, output: null },
    ])
  })
})

describe("shown output", () => {
  it.each([
    ["the same", "hi", "hi\n", true],
    ["JSON over several lines", '{ "ok": true,\n  "n": [1] }', '{"ok":true,"n":[1]}', true],
    ["dots for what varies", '{"ms": ..., "ok": true}', '{"ms":12.5,"ok":true}', true],
    ["dots for whole lines", "first\n...\nlast", "first\nsecond\nthird\nlast", true],
    ["another word", "hi", "ho", false],
    ["more than shown", "hi", "hi there", false],
    ["less than shown", "hi there", "hi", false],
    ["signs of regular expressions", "a.c", "abc", false],
    ["a difference after the dots", "a ... z", "a b c", false],
  ])("%s", (_case, shown, printed, matches) => {
    expect(isShownOutput(shown, printed)).toBe(matches)
  })
})
