import { type CallContext, cutText, limits, ToolFailure } from "../../contract/index.ts"
import { readMedia } from "../media/read-media.ts"
import { startThread } from "../thread/start-thread.ts"
import { Thread } from "../thread/thread.ts"
import type { ToolParts } from "../tool-parts.ts"
import { askTranscription } from "./ask-transcription.ts"
import { formatOf } from "./audio-format.ts"
import type { HeardSpeech, SpeechRequest } from "./speech-worker.ts"
import type { TranscribeInput } from "./transcribe-tool.ts"

export type TranscribeAudio = (input: TranscribeInput, context: CallContext) => Promise<unknown>

const localModel = "moonshine-tiny"

/** Recordings of one session. The local model is loaded by the first and closed with the session. */
export function openTranscription({
  settings,
  onClose,
}: Pick<ToolParts, "settings" | "onClose">): TranscribeAudio {
  const remote = settings.models?.transcription
  const listener = new Thread<SpeechRequest, HeardSpeech>(() =>
    startThread(new URL("./speech-worker.ts", import.meta.url), {
      name: "toolkeep-speech",
      memoryBytes: limits.audio.memoryBytes,
    }),
  )
  onClose(() => listener.close())

  return async (input, context) => {
    const { signal } = context
    const field = input.path === undefined ? "data" : "path"
    const bytes = await readMedia(input, context, limits.audio.bytes)
    const format = formatOf(bytes)
    if (format === null) throw noAudio(field)
    if (remote) {
      const { language } = input
      const text = await askTranscription(remote, { bytes, format, language, signal })
      return { kind: "transcript", text: cutText(text).text, model: remote.model }
    }
    warnOfLanguage(input, context)
    const heard = await listener.ask({ bytes, decoder: format.decoder, field }, { signal })
    return transcript(heard, context)
  }
}

function transcript({ durationMs, segments }: HeardSpeech, context: CallContext) {
  const text = segments.map((segment) => segment.text).join(" ")
  if (text === "") context.warn("No speech was heard in the recording.")
  return {
    kind: "transcript",
    text: cutText(text).text,
    model: localModel,
    duration_ms: durationMs,
    // The same words again, so only where all of them fit.
    ...(text.length <= limits.textBytes / 2
      ? {
          segments: segments.map(({ startMs, endMs, text }) => ({
            start_ms: startMs,
            end_ms: endMs,
            text,
          })),
        }
      : {}),
  }
}

function warnOfLanguage({ language }: TranscribeInput, context: CallContext): void {
  if (language === undefined || /^en\b/i.test(language)) return
  context.warn(
    `The model on this machine knows only English, not ${language}. For others, configure models.transcription in toolkeep.yaml.`,
  )
}

function noAudio(field: "path" | "data"): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message:
      "This is no recording that can be read: WAV, MP3, FLAC, Ogg (Opus and Vorbis), M4A, AAC, AIFF, MP4 and WebM can.",
    field,
    expected: "an audio file",
  })
}
