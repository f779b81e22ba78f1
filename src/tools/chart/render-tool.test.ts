import { readFile } from "node:fs/promises"
import sharp from "sharp"
import { afterAll, expect, it } from "vitest"
import { localBench, resultOf } from "../../../test/support/tools/tool-bench.ts"
import type { Envelope } from "../../contract/index.ts"

const opened = localBench.open()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

async function draw(input: object) {
  return (await opened).call("chart.render", input)
}

/** The drawn file's content. */
async function drawn(input: object): Promise<{ bytes: Buffer; text: string; envelope: Envelope }> {
  const envelope = await draw(input)
  const { artifact } = resultOf(envelope)
  const bytes = await readFile(artifact.path)
  return { bytes, text: bytes.toString("utf8"), envelope }
}

const sales = [
  { month: "Jan", region: "north", sales: 120, costs: 80 },
  { month: "Feb", region: "north", sales: 90, costs: 85 },
  { month: "Jan", region: "south", sales: 60, costs: 20 },
  { month: "Feb", region: "south", sales: 75, costs: "30" },
]
const marks = (text: string, mark: string) =>
  [...text.matchAll(new RegExp(`<g class="mark-${mark} role-mark[^>]*>(.*?)</g>`, "gs"))]
    .map(([, inner]) => inner?.match(/<path/g)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0)

it("O22.charts: bars are drawn side by side or stacked, with axes, legend and titles", async () => {
  const bars = { type: "bar", rows: sales, x: "month", y: "sales", color: "region" }
  const { text, envelope } = await drawn({ ...bars, title: "Sales", y_title: "Euro" })
  expect(envelope).toMatchObject({
    ok: true,
    result: {
      kind: "chart",
      type: "bar",
      rows: 4,
      width: 640,
      height: 400,
      artifact: { filename: "chart.svg", mime_type: "image/svg+xml" },
    },
  })
  expect(text).toMatch(/^<svg [^>]*width="640" height="400"/)
  for (const label of ["Jan", "Feb", "north", "south", "region", "month", "Sales", "Euro"]) {
    expect(text).toContain(`>${label}</text>`)
  }
  expect(marks(text, "rect")).toBe(4)
  const stacked = await drawn({ ...bars, stacked: true })
  expect(marks(stacked.text, "rect")).toBe(4)
  expect(stacked.text).not.toBe(text)
})

it("O22: lines, areas, points, pies and histograms are drawn from the same rows", async () => {
  const both = { rows: sales.slice(0, 2), x: "month", y: ["sales", "costs"] }
  const line = await drawn({ type: "line", ...both })
  expect(marks(line.text, "line")).toBe(2)
  expect(line.text).toContain(">costs</text>")
  expect(marks((await drawn({ type: "area", ...both, stacked: true })).text, "area")).toBe(2)
  const scatter = await drawn({ type: "scatter", rows: sales, x: "costs", y: "sales" })
  expect(marks(scatter.text, "symbol")).toBe(4)
  const pie = await drawn({ type: "pie", rows: sales, x: "region", y: "sales" })
  expect(marks(pie.text, "arc")).toBe(2)
  expect(pie.envelope.ok && pie.envelope.warnings).toEqual([
    "Values of rows with the same region were added up.",
  ])
  const values = Array.from({ length: 500 }, (_, index) => ({ v: index % 37 }))
  const histogram = await drawn({ type: "histogram", rows: values, x: "v" })
  expect(marks(histogram.text, "rect")).toBeGreaterThan(10)
  expect(histogram.text).toContain(">Count</text>")
})

it("O22: a PNG has the wished size, and its text is there", async () => {
  const input = { type: "line", rows: sales.slice(0, 2), x: "month", y: "sales", format: "png" }
  const { bytes, envelope } = await drawn({ ...input, width: 300, height: 200, filename: "a" })
  expect(envelope).toMatchObject({
    result: { artifact: { filename: "a.png", mime_type: "image/png" } },
  })
  expect(envelope).not.toHaveProperty("warnings")
  expect(await sharp(bytes).metadata()).toMatchObject({ format: "png", width: 300, height: 200 })
})

it("O22: dates are a time axis in UTC, years have no thousands separator", async () => {
  const dated = [
    { at: "2026-01-01", v: 1 },
    { at: "2026-01-02T12:00", v: 2 },
    { at: "2026-01-04", v: null },
  ]
  const line = await drawn({ type: "line", rows: dated, x: "at", y: "v" })
  expect(line.text).toMatch(/>(Jan|2026|Fri 02|Sat 03)[^<]*<\/text>/)
  const years = [2019, 2020, 2021].map((year) => ({ year, v: year % 7 }))
  const { text } = await drawn({ type: "line", rows: years, x: "year", y: "v" })
  expect(text).toContain(">2020</text>")
})

it("O22: rows come from CSV, JSON and JSON lines in the sandbox as well", async () => {
  const { workspace } = await opened
  await workspace.writeFile("a.csv", "month;sales\nJan;12\nFeb;\nMar;7\n")
  await workspace.writeFile("a.json", JSON.stringify(sales))
  await workspace.writeFile("a.jsonl", sales.map((row) => JSON.stringify(row)).join("\n"))
  const csv = await drawn({ type: "bar", path: "a.csv", x: "month", y: "sales" })
  expect(csv.envelope).toMatchObject({
    result: { rows: 3 },
    warnings: ["1 rows without a value were left out."],
  })
  expect(marks(csv.text, "rect")).toBe(2)
  for (const path of ["a.json", "a.jsonl"]) {
    expect(await draw({ type: "scatter", path, x: "costs", y: "sales" })).toMatchObject({
      ok: true,
      result: { rows: 4 },
    })
  }
})

it("O22: names and values are plain text, whatever they look like", async () => {
  const hostile = [
    'a.b[0]["c"]',
    "<script>alert(1)</script>",
    '"]+alert(1)+["',
    "datum.x",
    "__proto__",
    "\\u0000\u0000\u001b\ud800",
    "'\\",
    "constructor",
  ]
  for (const name of hostile) {
    const row = Object.fromEntries([
      [name, 3],
      ["label", name],
      [`${name} y`, 4],
    ])
    const titles = { title: name, x_title: name, y_title: name }
    const spec = { rows: [row], x: name, y: `${name} y`, color: "label", ...titles }
    const { text } = await drawn({ type: "scatter", ...spec })
    expect(text).not.toContain("<script")
    expect(await sharp(Buffer.from(text)).metadata()).toMatchObject({ format: "svg" })
  }
  const { text } = await drawn({ type: "bar", rows: [{ a: hostile[1], b: 1 }], x: "a", y: "b" })
  expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
})

it("O22: what can't be drawn says which argument is wrong, and what is near", async () => {
  const { workspace } = await opened
  await workspace.mkdir("folder")
  await workspace.writeFile("binary.csv", new Uint8Array([1, 0, 2]))
  await workspace.writeFile("broken.json", '[{"a": 1},')
  await workspace.writeFile("empty.csv", "a,b\n")
  const bar = { type: "bar", x: "month", y: "sales" }
  const wrong: [object, object][] = [
    [
      { ...bar, rows: sales, y: "sale" },
      { field: "y", message: /did you mean "sales"\?.*"region"/ },
    ],
    [
      { ...bar, rows: sales, x: "toString" },
      { field: "x", message: /no column/ },
    ],
    [
      { ...bar, rows: sales, y: "region" },
      { field: "y", message: /is not a number in row 1/ },
    ],
    [
      { ...bar, rows: sales, color: "colour" },
      { field: "color", message: /no column/ },
    ],
    [
      { ...bar, rows: sales, y: undefined },
      { field: "y", message: /needs y/ },
    ],
    [
      { ...bar, rows: sales, y: ["sales", "costs"], color: "region" },
      { field: "color", message: /out/ },
    ],
    [
      { ...bar, rows: [{ month: "a", sales: null }] },
      { field: "y", message: /No row/ },
    ],
    [
      { type: "histogram", rows: sales, x: "month" },
      { field: "x", message: /numbers/ },
    ],
    [
      { type: "histogram", rows: sales, x: "sales", y: "costs" },
      { field: "y", message: /no y/ },
    ],
    [
      { type: "pie", rows: [{ a: "x", b: -1 }], x: "a", y: "b" },
      { field: "y", message: /negative/ },
    ],
    [
      { type: "pie", rows: [{ a: "x", b: 0 }], x: "a", y: "b" },
      { field: "y", message: /no slices/ },
    ],
    [
      { ...bar, rows: [] },
      { field: "rows", message: /./ },
    ],
    [bar, { field: "rows", message: /No data/ }],
    [
      { ...bar, rows: sales, path: "a.csv" },
      { field: "rows", message: /Both/ },
    ],
    [
      { ...bar, path: "binary.csv" },
      { field: "path", message: /not text/ },
    ],
    [
      { ...bar, path: "broken.json" },
      { field: "path", message: /is not valid JSON/ },
    ],
    [
      { ...bar, path: "empty.csv" },
      { field: "path", message: /no rows/ },
    ],
    [{ ...bar, path: "folder" }, { message: /is a directory/ }],
    [
      { ...bar, path: "../x.csv" },
      { field: "path", message: /climbs out/ },
    ],
    [
      { ...bar, rows: sales, filename: "a/b" },
      { field: "filename", message: /basename/ },
    ],
  ]
  for (const [input, { message, ...failure }] of wrong as [object, { message: RegExp }][]) {
    const envelope = await draw(input)
    expect(envelope, JSON.stringify(input)).toMatchObject({
      ok: false,
      kind: "invalid_args",
      ...failure,
    })
    expect(envelope.ok ? "" : envelope.message).toMatch(message)
  }
  expect(await draw({ ...bar, path: "none.csv" })).toMatchObject({ ok: false, kind: "not_found" })
})

it("O22: a chart that takes too long is ended, and the next one is drawn", async () => {
  const bench = await opened
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ a: `label ${index}`, b: index }))
  const input = { type: "bar", rows, x: "a", y: "b" }
  const signal = AbortSignal.timeout(150)
  await expect(bench.call("chart.render", input, { signal })).rejects.toThrow("timeout")
  expect(await draw({ type: "bar", rows: sales, x: "month", y: "sales" })).toMatchObject({
    ok: true,
  })
})
