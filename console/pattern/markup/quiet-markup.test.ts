import { expect, it } from "vitest"
import { quietMarkup } from "./quiet-markup.ts"

it("renames handlers, styles and style sheets in tags, and nothing in texts and values", () => {
  const quiet = (markup: string) => quietMarkup(markup, "data-style")
  expect(quiet(`<p STYLE="a>b" onclick='x' title="style=1">style="2" 1 < 2</p>`)).toBe(
    `<p data-style="a>b" data-onclick='x' title="style=1">style="2" 1 < 2</p>`,
  )
  expect(quiet("<svg/onload=x><style>a</style><g style=b/></svg>")).toBe(
    "<svg/data-onload=x><pattern-sheet>a</pattern-sheet><g data-style=b/></svg>",
  )
  expect(quiet(`<a "<b' style="c`)).toContain("<a")
})
