import { answerRequests, type WorkAnswer } from "../work/answer-requests.ts"
import { decodeAudio, type EncodedAudio } from "./decode-audio.ts"
import { type Listen, openMoonshine } from "./moonshine.ts"
import { speechRate } from "./resampler.ts"
import { splitSpeech } from "./split-speech.ts"

export type SpeechRequest = Omit<EncodedAudio, "bytes">

export interface HeardSpeech {
  readonly durationMs: number
  readonly segments: readonly {
    readonly startMs: number
    readonly endMs: number
    readonly text: string
  }[]
}

// Loaded by the first recording; a process that can't find them is of no use.
for (const name of ["onnxruntime-web", "@usefulsensors/moonshine-js"]) import.meta.resolve(name)

let opened: Promise<Listen> | null = null

answerRequests(async (request: SpeechRequest, bytes): Promise<WorkAnswer<HeardSpeech>> => {
  const samples = await decodeAudio({ ...request, bytes })
  const segments: HeardSpeech["segments"][number][] = []
  for (const { start, end } of splitSpeech(samples)) {
    opened ??= openMoonshine()
    const text = await (await opened)(samples.slice(start, end))
    if (text !== "") segments.push({ startMs: milliseconds(start), endMs: milliseconds(end), text })
  }
  return { value: { durationMs: milliseconds(samples.length), segments } }
})

function milliseconds(samples: number): number {
  return Math.round((samples * 1000) / speechRate)
}
