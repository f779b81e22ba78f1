import { expect, it } from "vitest"
import { showMarkdown } from "./show-markdown.ts"

const style = (name: unknown, text: string) => `<${String(name)}>${text}</>`
const show = (text: string) => {
  const view = showMarkdown({ style })
  return view.add(text) + view.end()
}

it.each([
  ["# A **title** #", "<bold>A title</>"],
  ["- one\n  * two", "• one\n  • two"],
  ["1. one", "1. one"],
  ["a **bold** and *italic* word", "a <bold>bold</> and <italic>italic</> word"],
  ["call `a * b` and ``x``", "call <cyan>a * b</> and <cyan>x</>"],
  ["> said **so**", "<dim>│ said so</>"],
  ["---", `<dim>${"─".repeat(20)}</>`],
  ["2 * 3 * 4, snake_case_name, **open", "2 * 3 * 4, snake_case_name, **open"],
  [
    "```ts\n# no *heading*\n```\n# Heading",
    "<dim>```ts</>\n<cyan># no *heading*</>\n<dim>```</>\n<bold>Heading</>",
  ],
])("O3, X4.markdown: shows %j as a terminal can", (text, shown) => {
  expect(show(text)).toBe(shown)
})

it("O3, X4.markdown: streams: in any pieces it shows the same, each line when it is complete", () => {
  const text = "# Head\n\nSome **bold** text,\n```\ncode\n```\n- last"
  for (const size of [1, 3, 7]) {
    const view = showMarkdown({ style })
    let shown = ""
    for (let at = 0; at < text.length; at += size) {
      shown += view.add(text.slice(at, at + size))
      expect(shown === "" || shown.endsWith("\n")).toBe(true)
    }
    expect(view.pending()).toBe("- last")
    expect(shown + view.end()).toBe(show(text))
  }
})
