import { expect, it } from "vitest"
import { parseCsv } from "./parse-csv.ts"

it("O22: cells are read with quotes, line ends and separators of every habit", () => {
  expect(parseCsv("\ufeffa,b\r\n1,2\r\n", 10)).toEqual([
    ["a", "b"],
    ["1", "2"],
  ])
  expect(parseCsv('a;"b;c"\n"say ""hi""\nthere";\n', 10)).toEqual([
    ["a", "b;c"],
    ['say "hi"\nthere', ""],
  ])
  expect(parseCsv("a\tb\n\n1\t2", 10)).toEqual([
    ["a", "b"],
    ["1", "2"],
  ])
  expect(parseCsv('a,b\n"x"y,"open', 10)).toEqual([
    ["a", "b"],
    ["xy", "open"],
  ])
  expect(parseCsv("a,b,\n,,\n", 10)).toEqual([
    ["a", "b", ""],
    ["", "", ""],
  ])
  expect(parseCsv("", 10)).toEqual([])
})

it("O22: no more lines are read than are wanted, and a huge cell is read at once", () => {
  expect(parseCsv("a\n".repeat(1000), 3)).toHaveLength(3)
  const [line] = parseCsv(`"${'""'.repeat(500_000)}",b`, 3)
  expect(line?.[0]).toHaveLength(500_000)
})
