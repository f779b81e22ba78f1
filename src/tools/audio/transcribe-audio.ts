import { type CallContext, cutText, limits, ToolFailure } from "../../contract/index.ts"
import { audioLimits } from "../limits.ts"
import { readMedia } from "../media/read-media.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import { Work } from "../work/work.ts"
import { askTranscription } from "./ask-transcription.ts"
import { formatOf } from "./audio-format.ts"
import type { HeardSpeech, SpeechRequest } from "./speech-worker.ts"
import type { TranscribeInput, TranscribeResult } from "./transcribe-tool.ts"

export type TranscribeAudio = (
  input: TranscribeInput,
  context: CallContext,
) => Promise<TranscribeResult>

const localModel = "moonshine-tiny"

/** Recordings of one session. The local model is loaded by the first, in a process of its own. */
export function openTranscription(
  { settings }: Pick<ToolDeps, "settings">,
  work: SessionWork,
): TranscribeAudio {
  const remote = settings.models?.transcription
  const kind = {
    file: new URL("./speech-worker.ts", import.meta.url),
    memoryBytes: audioLimits.memoryBytes,
  }
  const listener = new Work<SpeechRequest, HeardSpeech>(kind, work)

  return async (input, context) => {
    const { signal } = context
    const field = input.path === undefined ? "data" : "path"
    const bytes = await readMedia(input, context, audioLimits.bytes)
    const format = formatOf(bytes)
    if (format === null) throw noAudio(field)
    if (remote) {
      const { language } = input
      const text = await askTranscription(remote, { bytes, format, language, signal })
      return { kind: "transcript" as const, text: cutText(text).text, model: remote.model }
    }
    warnOfLanguage(input, context)
    const { decoder } = format
    const { value: heard } = await listener.ask({ decoder, field }, { bytes, signal })
    return transcript(heard, context)
  }
}

function transcript({ durationMs, segments }: HeardSpeech, context: CallContext) {
  const text = segments.map((segment) => segment.text).join(" ")
  if (text === "") context.warn("No speech was heard in the recording.")
  return {
    kind: "transcript" as const,
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
