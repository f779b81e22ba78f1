import { expect, it } from "vitest"
import { failure, success } from "../envelope/envelope.ts"
import { textResult } from "../envelope/result-kinds.ts"
import { readMarkers } from "./legacy-markers.ts"

const artifact = '---SHARED_ARTIFACT_START---\n{"filename":"a.png"}\n---SHARED_ARTIFACT_END---'
const chart = "---CHART_START---\nnot json\n---CHART_END---"

it("O22.markers: legacy markers in a result's text are read as data, in their order", () => {
  const text = `Here:\n${artifact}\nand\n${chart}\nand ${artifact}`
  const shared = { kind: "artifact", content: '{"filename":"a.png"}', data: { filename: "a.png" } }
  const expected = [shared, { kind: "chart", content: "not json", data: null }, shared]
  expect(readMarkers(success("old.tool", textResult(text)))).toEqual(expected)
  expect(readMarkers(text)).toEqual(expected)
})

it("O22: what only looks like a marker is text, and a block inside of another is its content", () => {
  expect(readMarkers("---CHART_START--- without end")).toEqual([])
  expect(readMarkers("---CHART_END------CHART_START---")).toEqual([])
  expect(readMarkers("---chart_start---{}---chart_end---")).toEqual([])
  const nested = `---CHART_START---${artifact}---CHART_END---`
  expect(readMarkers(nested)).toEqual([{ kind: "chart", content: artifact, data: null }])
})

it("O22: failures and results without text hold no markers", () => {
  expect(readMarkers(failure("a.b", { kind: "timeout", message: artifact }))).toEqual([])
  expect(readMarkers(success("a.b", { kind: "artifact", artifact: { id: "x" } }))).toEqual([])
  expect(readMarkers(success("a.b", { text: 3 }))).toEqual([])
})

it("O22: a text that starts a hundred thousand blocks and ends none is read at once", () => {
  const before = performance.now()
  expect(readMarkers("---CHART_START---".repeat(100_000))).toEqual([])
  expect(performance.now() - before).toBeLessThan(60_000)
})
