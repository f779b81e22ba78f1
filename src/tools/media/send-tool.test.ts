import { readFile } from "node:fs/promises"
import { afterAll, expect, it } from "vitest"
import { localBench } from "../../../test/support/tools/tool-bench.ts"

const opened = localBench.open()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")

it("Y14.send: bytes given as base64 are kept for the person, under a name that fits their type", async () => {
  const bench = await opened
  const data = png.toString("base64")
  const envelope = await bench.call("media.send", { data, mime_type: "image/png" })
  expect(envelope).toMatchObject({
    ok: true,
    result: {
      kind: "media",
      artifact: { filename: "media.png", mime_type: "image/png", size: png.length },
    },
  })
  expect(envelope).not.toHaveProperty("warnings")
  const [kept] = await bench.artifacts.list()
  expect(Buffer.compare(await readFile(kept?.path ?? ""), png)).toBe(0)
})

it("Y14.send: a data URL, line breaks and the other alphabet are base64 as well", async () => {
  const bench = await opened
  const url = `data:image/png;base64,${png.toString("base64url").replace(/(.{8})/g, "$1\n")}`
  expect(await bench.call("media.send", { data: url, filename: "dot.png" })).toMatchObject({
    ok: true,
    result: { artifact: { filename: "dot.png", mime_type: "image/png", size: png.length } },
  })
})

it("Y14.send: a file of the sandbox is sent from where it is", async () => {
  const bench = await opened
  await bench.workspace.writeFile("pixel.png", png)
  const envelope = await bench.call("media.send", { path: "pixel.png" })
  expect(envelope).not.toHaveProperty("warnings")
  expect(envelope).toMatchObject({
    ok: true,
    result: { artifact: { filename: "pixel.png", mime_type: "image/png" } },
  })
})

it("Y14.send: bytes unlike their type are sent with a warning", async () => {
  const bench = await opened
  const data = png.toString("base64")
  expect(await bench.call("media.send", { data, mime_type: "image/jpeg" })).toMatchObject({
    ok: true,
    result: { artifact: { mime_type: "image/jpeg" } },
    warnings: ["The bytes look like image/png, not image/jpeg."],
  })
  await bench.workspace.writeFile("fake.png", "no image")
  expect(
    await bench.call("media.send", { path: "fake.png", mime_type: "image/png" }),
  ).toMatchObject({ ok: true, warnings: ["The bytes don't look like image/png."] })
})

it("Y14.send: what can't be sent says why in one sentence", async () => {
  const bench = await opened
  const refusals: [unknown, object][] = [
    [
      { data: "not base64!", mime_type: "image/png" },
      { kind: "invalid_args", field: "data" },
    ],
    [
      { data: "AAAAA", mime_type: "image/png" },
      { kind: "invalid_args", field: "data" },
    ],
    [{ data: "AAAA" }, { kind: "invalid_args", field: "mime_type" }],
    [
      { data: "AAAA", path: "x" },
      { kind: "invalid_args", field: "data" },
    ],
    [{}, { kind: "invalid_args", field: "path" }],
    [{ path: "nowhere.mp3" }, { kind: "execution_error" }],
    [{ path: "../../x.mp3" }, { kind: "invalid_args", field: "path" }],
    [
      { data: "AAAA", mime_type: "image/png", filename: "a/b" },
      { kind: "invalid_args", field: "filename" },
    ],
  ]
  for (const [input, failure] of refusals) {
    expect(await bench.call("media.send", input)).toMatchObject({ ok: false, ...failure })
  }
})
