import { afterAll, beforeAll, expect, it } from "vitest"
import { listen } from "../../../test/support/tools/model-server-fixture.ts"
import {
  pack,
  speak,
  vorbisSpeech,
  wavOf,
  webmOf,
} from "../../../test/support/tools/speech-fixture.ts"
import { localBench } from "../../../test/support/tools/tool-bench.ts"
import { audioLimits } from "../limits.ts"

const opened = localBench.open()
afterAll(async () => (await opened)[Symbol.asyncDispose]())

const headBytes = 44
const spokenRate = 22_050
let speech: Buffer
beforeAll(async () => {
  speech = await speak("Please open the red door.")
})

const words = /open the red door/i

it("Y14.audio: speech in a file of the sandbox is written down, with its times", {
  timeout: 120_000,
}, async () => {
  const bench = await opened
  await bench.workspace.writeFile("door.wav", speech)
  const envelope = await bench.call("audio.transcribe", { path: "door.wav", language: "en" })
  expect(envelope).toMatchObject({
    ok: true,
    result: {
      kind: "transcript",
      text: expect.stringMatching(words),
      model: "moonshine-tiny",
      duration_ms: expect.closeTo(((speech.length - headBytes) / 2 / spokenRate) * 1000, -2),
      segments: [
        {
          start_ms: expect.any(Number),
          end_ms: expect.any(Number),
          text: expect.stringMatching(words),
        },
      ],
    },
  })
  expect(envelope).not.toHaveProperty("warnings")
})

it("Y14.audio: MP3, FLAC and Opus are heard like WAV, also as base64", {
  timeout: 120_000,
}, async () => {
  const bench = await opened
  for (const format of ["mp3", "flac", "opus"] as const) {
    const data = (await pack(speech, format)).toString("base64")
    expect(await bench.call("audio.transcribe", { data, language: "de" }), format).toMatchObject({
      ok: true,
      result: { text: expect.stringMatching(words) },
      warnings: [expect.stringContaining("only English, not de")],
    })
  }
})

it("Y14: Vorbis, and what browsers record as WebM, are heard too", {
  timeout: 120_000,
}, async () => {
  const bench = await opened
  const vorbis = await vorbisSpeech()
  const recordings = {
    vorbis,
    "opus in webm": webmOf(await pack(speech, "opus"), "A_OPUS"),
    "vorbis in webm": webmOf(vorbis, "A_VORBIS"),
  }
  for (const [name, recording] of Object.entries(recordings)) {
    const data = recording.toString("base64")
    expect(await bench.call("audio.transcribe", { data }), name).toMatchObject({
      ok: true,
      result: { text: expect.stringMatching(words), duration_ms: expect.closeTo(2_230, -2) },
    })
  }
})

it("Y14.audio: a long recording is heard in pieces, to its end", { timeout: 120_000 }, async () => {
  const bench = await opened
  const said = speech.subarray(headBytes)
  const pause = Buffer.alloc(2 * spokenRate * audioLimits.pieceSeconds)
  await bench.workspace.writeFile("long.wav", wavOf(Buffer.concat([said, pause, said]), spokenRate))
  const text = expect.stringMatching(words)
  expect(await bench.call("audio.transcribe", { path: "long.wav" })).toMatchObject({
    ok: true,
    result: {
      segments: [
        { start_ms: expect.any(Number), text },
        { start_ms: expect.closeTo(30_000, -4), text },
      ],
    },
  })
})

it("Y14.audio: a recording of nothing is an empty transcript with a warning", async () => {
  const bench = await opened
  await bench.workspace.writeFile("silent.wav", wavOf(Buffer.alloc(spokenRate), spokenRate))
  expect(await bench.call("audio.transcribe", { path: "silent.wav" })).toMatchObject({
    ok: true,
    result: { text: "", duration_ms: 500, segments: [] },
    warnings: ["No speech was heard in the recording."],
  })
})

it("Y14.audio: what is no recording, or a damaged one, or days of one, is refused in one sentence", async () => {
  const bench = await opened
  const { workspace } = bench
  const mp3 = await pack(speech, "mp3")
  const flac = await pack(speech, "flac")
  const noise = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 256))
  const days = await pack(
    wavOf(Buffer.alloc(2 * 4_000 * (audioLimits.seconds + 60)), 4_000),
    "flac",
  )
  const files: Record<string, string | Uint8Array> = {
    "text.mp3": "this is no sound",
    "empty.wav": "",
    "head.wav": speech.subarray(0, 40),
    "head.mp3": mp3.subarray(0, 40),
    "noise.flac": Buffer.concat([flac.subarray(0, 60), noise]),
    "slow.wav": wavOf(noise, 1),
    "days.flac": days,
    "memo.m4a": Buffer.from("\0\0\0\x20ftypM4A \0\0\0\0M4A mp42isom\0\0\0\0"),
    "video.webm": webmOf(await pack(speech, "opus"), "A_OPUS").fill("V", 60, 140),
    "speex.ogg": Buffer.from(
      (await vorbisSpeech()).toString("latin1").replace("vorbis", "spooks"),
      "latin1",
    ),
  }
  for (const [path, content] of Object.entries(files)) await workspace.writeFile(path, content)
  await workspace.mkdir("folder")
  const refused: [object, string, RegExp][] = [
    [{ path: "text.mp3" }, "invalid_args", /not a recording that can be read/],
    [{ path: "empty.wav" }, "invalid_args", /empty/],
    [{ path: "head.wav" }, "invalid_args", /damaged/],
    [{ path: "head.mp3" }, "invalid_args", /damaged/],
    [{ path: "noise.flac" }, "invalid_args", /damaged/],
    [{ path: "slow.wav" }, "invalid_args", /1 samples a second/],
    [{ path: "days.flac" }, "invalid_args", /longer than 3600 seconds/],
    [{ path: "memo.m4a" }, "invalid_args", /can't read AAC \(M4A, MP4\)\. Convert/],
    [{ path: "video.webm" }, "invalid_args", /damaged/],
    [{ path: "speex.ogg" }, "invalid_args", /no sound that is Opus or Vorbis/],
    [{ path: "folder" }, "invalid_args", /is a directory/],
    [{ path: "none.wav" }, "not_found", /does not exist/],
    [{ data: "?" }, "invalid_args", /not base64/],
  ]
  expect(days.length).toBeLessThan(8 * 1024)
  for (const [input, kind, message] of refused) {
    const envelope = await bench.call("audio.transcribe", input)
    expect(envelope, JSON.stringify(input)).toMatchObject({ ok: false, kind })
    expect(envelope.ok ? "" : envelope.message).toMatch(message)
  }
})

it("Y14.audio: a configured model gets the recording as a form, and its refusal is told", async () => {
  let answer = { status: 200, body: JSON.stringify({ text: " Guten Tag. " }) }
  await using server = await listen(() => answer)
  const transcription = { url: `${server.url}/v1`, model: "ears-1" }
  await using bench = await localBench.open({ settings: { models: { transcription } } })
  await bench.workspace.writeFile("door.wav", speech)
  const ask = () => bench.call("audio.transcribe", { path: "door.wav", language: "de" })
  expect(await ask()).toMatchObject({
    ok: true,
    result: { kind: "transcript", text: "Guten Tag.", model: "ears-1" },
  })
  const [request] = server.requests
  expect(request?.path).toBe("/v1/audio/transcriptions")
  const form = await new Response(new Uint8Array(request?.body ?? []), {
    headers: { "content-type": request?.type ?? "" },
  }).formData()
  const file = form.get("file") as File
  expect([form.get("model"), form.get("language"), file.name]).toEqual([
    "ears-1",
    "de",
    "audio.wav",
  ])
  expect(Buffer.compare(Buffer.from(await file.arrayBuffer()), speech)).toBe(0)
  answer = { status: 400, body: JSON.stringify({ error: { message: "Too quiet." } }) }
  expect(await ask()).toMatchObject({
    ok: false,
    kind: "execution_error",
    message: expect.stringContaining("answered 400: Too quiet."),
  })
  answer = { status: 200, body: "<html>" }
  expect(await ask()).toMatchObject({
    ok: false,
    message: expect.stringContaining("other than JSON"),
  })
})

it("Y14.audio: a call that is ended while the model loads ends at once", async () => {
  await using bench = await localBench.open()
  const ended: string[] = []
  const input = { data: speech.toString("base64") }
  const short = bench
    .call("audio.transcribe", input, { signal: AbortSignal.timeout(300) })
    .finally(() => ended.push("short"))
  const long = bench.call("audio.transcribe", input).finally(() => ended.push("long"))
  await expect(short).rejects.toThrow("timeout")
  expect(await long).toMatchObject({ ok: true })
  expect(ended).toEqual(["short", "long"])
})
