import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32, deflateSync } from "node:zlib"
import sharp from "sharp"
import { afterAll, expect, it, onTestFinished } from "vitest"
import { listen, unusedAddress } from "../../../test/support/tools/model-server-fixture.ts"
import { localBench } from "../../../test/support/tools/tool-bench.ts"

const opened = localBench.open()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

const svg = (inner: string, size = "width='600' height='200'") =>
  `<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' ${size}>${inner}</svg>`
const invoice = svg(
  "<rect width='600' height='200' fill='#ffee00'/>" +
    "<text x='20' y='70' font-size='36' font-family='sans-serif'>Invoice 4711</text>" +
    "<text x='20' y='140' font-size='24' font-family='sans-serif'>Total: 38.50 Euro</text>",
)

it("Y14.image: without a vision model, text, size, colours and metadata are read", async () => {
  const bench = await opened
  const photo = await sharp(Buffer.from(invoice))
    .flatten()
    .withExif({ IFD0: { Make: "Acme", Model: "Eye 3", Copyright: "Ann" } })
    .jpeg()
    .toBuffer()
  await bench.workspace.writeFile("invoice.jpg", photo)
  const envelope = await bench.call("image.analyze", { path: "invoice.jpg", prompt: "How much?" })
  expect(envelope).toMatchObject({
    ok: true,
    result: {
      kind: "image",
      format: "jpeg",
      width: 600,
      height: 200,
      has_alpha: false,
      colours: expect.arrayContaining([
        { hex: expect.stringMatching(/^#f[ef]e[c-f]/), share: expect.closeTo(0.92, 1) },
      ]),
      metadata: { camera_make: "Acme", camera_model: "Eye 3", copyright: "Ann" },
      text: expect.stringMatching(/Invoice 4711[\s\S]*38\.50/),
    },
    warnings: [expect.stringContaining("No vision model is configured")],
  })
})

it("Y14.image: an image that lies on its side is read upright, an animation by its first frame", async () => {
  const bench = await opened
  const lying = await sharp(Buffer.from(invoice))
    .rotate(270)
    .withMetadata({ orientation: 6 })
    .png()
    .toBuffer()
  const data = lying.toString("base64")
  expect(await bench.call("image.analyze", { data, mime_type: "image/png" })).toMatchObject({
    result: {
      width: 600,
      height: 200,
      text: expect.stringContaining("Invoice"),
      metadata: { orientation: 6 },
    },
  })
  const frames = await Promise.all(
    ["red", "blue"].map((background) =>
      sharp({ create: { width: 20, height: 20, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  const gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer()
  expect(await bench.call("image.analyze", { data: gif.toString("base64") })).toMatchObject({
    result: {
      format: "gif",
      frames: 2,
      width: 20,
      height: 20,
      colours: [{ hex: "#ff0000", share: 1 }],
      text: "",
    },
  })
})

it("Y14.image: an SVG loads nothing from this machine and runs nothing", async () => {
  const bench = await opened
  const red = sharp({ create: { width: 50, height: 50, channels: 3, background: "red" } })
  const outside = join((await opened).workspace.cwd, "red.png")
  await writeFile(outside, await red.png().toBuffer())
  const hostile = svg(
    `<rect width='50' height='50' fill='lime'/><image xlink:href='file://${outside}' width='50' height='50'/>` +
      `<image href='${outside}' width='50' height='50'/><script>while(true){}</script>`,
    "width='50' height='50'",
  )
  await bench.workspace.writeFile("hostile.svg", hostile)
  expect(await bench.call("image.analyze", { path: "hostile.svg" })).toMatchObject({
    result: { format: "svg", colours: [{ hex: "#00ff00", share: 1 }] },
  })
})

/** A PNG whose head promises more than its few bytes hold. */
function pngThatClaims(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, "latin1"), data])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const check = Buffer.alloc(4)
    check.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, check])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.alloc(1000))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

it("Y14.image: what is no image, or too much of one, is refused in one sentence", async () => {
  const bench = await opened
  const { workspace } = bench
  await workspace.mkdir("folder")
  await workspace.writeFile("empty.png", "")
  await workspace.writeFile("text.png", "this is no image")
  await workspace.writeFile("bomb.png", pngThatClaims(60_000, 60_000))
  await workspace.writeFile("cut.png", pngThatClaims(400, 400))
  await workspace.writeFile("bomb.svg", svg("<rect/>", "width='100000' height='100000'"))
  await workspace.exec(`truncate -s 40M large.png`)
  const refused: [object, string, RegExp][] = [
    [{ path: "text.png" }, "invalid_args", /not an image that can be read/],
    [{ path: "bomb.png" }, "invalid_args", /more than 50000000 pixels/],
    [{ path: "bomb.svg" }, "invalid_args", /more than 50000000 pixels/],
    [{ path: "cut.png" }, "invalid_args", /damaged/],
    [{ path: "empty.png" }, "invalid_args", /empty/],
    [{ path: "large.png" }, "invalid_args", /at most/],
    [{ path: "folder" }, "invalid_args", /is a directory/],
    [{ path: "none.png" }, "not_found", /does not exist/],
    [{ data: "%%%" }, "invalid_args", /not base64/],
    [{}, "invalid_args", /No file is given/],
  ]
  for (const [input, kind, message] of refused) {
    const envelope = await bench.call("image.analyze", input)
    expect(envelope, JSON.stringify(input)).toMatchObject({ ok: false, kind })
    expect(envelope.ok ? "" : envelope.message).toMatch(message)
  }
})

it("Y14.image: a vision model is asked with the image, the prompt and its key", async () => {
  process.env.TOOLKEEP_TEST_KEY = "secret"
  onTestFinished(() => {
    delete process.env.TOOLKEEP_TEST_KEY
  })
  let status = 200
  let answer: unknown = { choices: [{ message: { content: " A yellow invoice. " } }] }
  await using server = await listen(() => ({ status, body: JSON.stringify(answer) }))
  const vision = { url: `${server.url}/v1/`, model: "eyes-1", key_from: "TOOLKEEP_TEST_KEY" }
  await using bench = await localBench.open({ settings: { models: { vision } } })
  await bench.workspace.writeFile("invoice.svg", invoice)
  const ask = () => bench.call("image.analyze", { path: "invoice.svg", prompt: "How much?" })
  const envelope = await ask()
  expect(envelope).toMatchObject({
    ok: true,
    result: {
      kind: "image",
      format: "svg",
      width: 600,
      description: "A yellow invoice.",
      model: "eyes-1",
    },
  })
  expect(envelope).not.toHaveProperty("warnings")
  const [request] = server.requests
  expect(request).toMatchObject({ path: "/v1/chat/completions", authorization: "Bearer secret" })
  expect(JSON.parse(request?.body.toString() ?? "")).toMatchObject({
    model: "eyes-1",
    messages: [
      {
        content: [
          { type: "text", text: "How much?" },
          {
            type: "image_url",
            image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) },
          },
        ],
      },
    ],
  })
  answer = { choices: [] }
  expect(await ask()).toMatchObject({
    kind: "execution_error",
    message: expect.stringMatching(/without a text/),
  })
  answer = { error: { message: "bad key." } }
  status = 401
  expect(await ask()).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: expect.stringMatching(/answered 401: bad key\. Check its key, TOOLKEEP_TEST_KEY/),
    retryable: false,
  })
  status = 503
  expect(await ask()).toMatchObject({ ok: false, kind: "unavailable", retryable: true })
  delete process.env.TOOLKEEP_TEST_KEY
  expect(await ask()).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: expect.stringContaining("set the environment variable TOOLKEEP_TEST_KEY"),
  })
})

it("Y14.image: a vision model that nobody runs is unavailable, and one that never answers ends with the call", async () => {
  const tools = async (url: string) =>
    localBench.open({ settings: { models: { vision: { url, model: "eyes-1" } } } })
  const data = (await sharp(Buffer.from(invoice)).png().toBuffer()).toString("base64")
  await using nobody = await tools(await unusedAddress())
  expect(await nobody.call("image.analyze", { data })).toMatchObject({
    ok: false,
    kind: "unavailable",
    message: expect.stringMatching(/can't be reached/),
  })
  await using silent = await listen(() => null)
  await using bench = await tools(silent.url)
  const signal = AbortSignal.timeout(300)
  await expect(bench.call("image.analyze", { data }, { signal })).rejects.toThrow("timeout")
})
