import { afterAll, expect, it } from "vitest"
import { ToolFailure } from "../../src/contract/index.ts"
import { createWorkPool, openSessionWork } from "../../src/tools/work/session-work.ts"
import { mutateBytes } from "./mutate-bytes.ts"
import { createRandom } from "./random.ts"
import { sampleImages, sampleMp3, samplePdf, sampleWav } from "./sample-files.ts"

const closers: (() => Promise<void>)[] = []
const session = openSessionWork(createWorkPool(), "test", (close) => closers.push(close))
afterAll(() => Promise.all(closers.map((close) => close())))

const memoryBytes = 2 ** 30
const kinds = {
  image: new URL("../../src/tools/image/image-worker.ts", import.meta.url),
  page: new URL("../../src/tools/web/conversion/conversion-worker.ts", import.meta.url),
  speech: new URL("../../src/tools/audio/speech-worker.ts", import.meta.url),
  chart: new URL("../../src/tools/chart/chart-worker.ts", import.meta.url),
}
const html = Buffer.from(
  `<html><head><title>T</title></head><body><main><h1>Head</h1><p>Some <b>words</b> and <a href="/x">a link</a>.</p>
  <table><tr><td>1</td></tr></table><ul><li>one</li></ul><pre>code</pre><math><mi>x</mi></math></main></body></html>`,
)
const csv = [
  'a,b\n1,2\n"x ""y""",3\n',
  '[{"a": 1, "b": 2, "c": [3]}, {"a": "z", "b": 4}]',
  '{"a":1,"b":2}\n',
]
const line = { type: "line", path: "t.csv", x: "a", y: "b", width: 200, height: 200 }

const decoders: readonly {
  readonly name: string
  readonly kind: keyof typeof kinds
  readonly request: object
  readonly files: readonly Uint8Array[] | Promise<readonly Uint8Array[]>
  readonly count: number
}[] = [
  {
    ...{ name: "images", kind: "image", count: 1_000, files: sampleImages() },
    request: { kind: "inspect", field: "path", purpose: "model" },
  },
  { name: "PDFs", kind: "page", count: 1_000, files: [samplePdf()], request: { kind: "pdf" } },
  {
    ...{ name: "pages", kind: "page", count: 1_000, files: [html] },
    request: { kind: "html", charset: null, url: "http://a.example/", format: "markdown" },
  },
  {
    ...{ name: "WAV files", kind: "speech", count: 60, files: [sampleWav()] },
    request: { decoder: "wav", field: "path" },
  },
  {
    ...{ name: "MP3 files", kind: "speech", count: 100, files: [sampleMp3(2)] },
    request: { decoder: "mp3", field: "path" },
  },
  {
    ...{ name: "tables", kind: "chart", count: 1_000, files: csv.map((text) => Buffer.from(text)) },
    request: { ...line, format: "svg" },
  },
]

it.each(decoders)(
  "C18: $name with mistakes in them are read or refused, each in one answer, and the next good one is read",
  async ({ kind, request, files: made, count }) => {
    const files = await made
    const random = createRandom(4_711)
    const program = { file: kinds[kind], memoryBytes }
    const { signal } = new AbortController()
    const ask = (bytes: Uint8Array) => session.ask(program, request, { bytes, signal, ms: 60_000 })
    const unsaid: unknown[] = []
    const inputs = Array.from({ length: count }, () => mutateBytes(random, files))
    const next = inputs.values()
    const lane = async () => {
      for (const bytes of next) {
        await ask(bytes).catch((error) => {
          if (!(error instanceof ToolFailure) || error.message === "") unsaid.push(error)
        })
      }
    }
    await Promise.all([lane(), lane()])
    expect(unsaid).toEqual([])
    for (const bytes of files) expect(await ask(bytes)).toHaveProperty("value")
  },
  300_000,
)
