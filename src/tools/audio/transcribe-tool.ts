import type { ModelEndpoint } from "../../config/index.ts"
import {
  type CallContext,
  defineTool,
  object,
  showLines,
  ToolFailure,
  text,
} from "../../contract/index.ts"
import { extensionOf, mimeTypeOfBytes } from "../../node/index.ts"
import {
  invalidArgument,
  mimeTypeArgument,
  namedSandbox,
  readPath,
  sandboxArgument,
} from "../arguments.ts"
import { askEndpoint, missingKey } from "../ask-endpoint.ts"
import { audioLimits } from "../limits.ts"
import { readMedia } from "../media/read-media.ts"
import { missingPackages } from "../missing-packages.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork, WorkKind } from "../work/session-work.ts"
import type { HeardSpeech, SpeechRequest } from "./speech-worker.ts"

const localModel = "moonshine-tiny"
/** All have permissive licences (decision 21). */
export const localPackages = [
  "@usefulsensors/moonshine-js",
  "onnxruntime-web",
  "llama-tokenizer-js",
  "@audio/decode-wav",
  "@audio/decode-aiff",
  "minimp3-wasm",
  "libflacjs",
  "opus-decoder",
  "stb-vorbis",
] as const
const localFormats = "WAV, MP3, FLAC, Ogg, WebM"
const remoteFormats = `${localFormats}, M4A`

const speechWork: WorkKind<SpeechRequest, HeardSpeech> = {
  file: new URL("./speech-worker.ts", import.meta.url),
  memoryBytes: audioLimits.memoryBytes,
}

/** audio.transcribe: what is said in a recording, by a configured model or by one on this machine. */
export function transcribeTool({ settings, limits: { textBytes } }: ToolDeps, work: SessionWork) {
  const remote = settings.models?.transcription
  return defineTool({
    name: "audio.transcribe",
    title: "Transcribe audio",
    description:
      `Writes down what is said in a recording ${remote ? `(${remoteFormats})` : `(${localFormats}), in English`}. ` +
      'Example: {"path": "recordings/call.mp3"}.',
    input: object({
      "path?": text("Instead of data."),
      "data?": text('As base64, such as "UklGRiQ...".'),
      "mime_type?": mimeTypeArgument('Such as "audio/wav"; the bytes decide.'),
      "language?": {
        type: "string",
        pattern: "^[A-Za-z]{2,3}(-\\w+)*$",
        description: 'Such as "en".',
      },
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "transcript" },
      text: { type: "string", description: "What is said." },
      model: { type: "string" },
      "duration_ms?": { type: "integer", minimum: 0 },
      "segments?": {
        type: "array",
        items: object({
          start_ms: { type: "integer" },
          end_ms: { type: "integer" },
          text: { type: "string" },
        }),
      },
    }),
    groups: ["media"],
    effects: remote ? ["read", "network"] : ["read"],
    pathArguments: ["path"],
    timeoutMs: audioLimits.timeoutMs,
    paths: readPath,
    sandbox: namedSandbox,
    unavailableReason: remote
      ? () => missingKey("audio.transcribe", remote)
      : missingPackages("audio.transcribe", localPackages),
    async run(input, context) {
      const { language } = input
      const { signal } = context
      const field = input.path === undefined ? "data" : "path"
      const bytes = await readMedia(input, context, audioLimits.bytes)
      const format = formatOf(bytes)
      if (format === null) throw notAudio(field, remote ? remoteFormats : localFormats)
      if (remote) {
        const said = await askModel(remote, { bytes, format, language, signal })
        return { kind: "transcript", text: said, model: remote.model }
      }
      if (language !== undefined && !/^en\b/i.test(language)) {
        context.warn(
          `The model on this machine knows only English, not ${language}. For others, configure models.transcription in toolkeep.yaml.`,
        )
      }
      const { decoder } = format
      if (decoder === null) throw onlyRemote(field)
      const heard = await work.ask(speechWork, { decoder, field }, { bytes, signal })
      return transcript(heard.value, textBytes, context)
    },
    show: ({ text, segments = [], model, duration_ms: ms }) =>
      showLines(
        ...(segments.length > 0 ? segments.map(showSegment) : [text || "No speech."]),
        `[by ${model}${ms === undefined ? "" : `; ${ms} ms`}]`,
      ),
  })
}

interface Segment {
  readonly start_ms: number
  readonly end_ms: number
  readonly text: string
}

function showSegment({ start_ms: start, end_ms: end, text }: Segment): string {
  return `${start}-${end} ms: ${text}`
}

function transcript(
  { durationMs, segments }: HeardSpeech,
  textBytes: number,
  context: CallContext,
) {
  const text = segments.map((segment) => segment.text).join(" ")
  if (text === "") context.warn("No speech was heard in the recording.")
  const timed = segments.map(({ startMs, endMs, text }) => ({
    start_ms: startMs,
    end_ms: endMs,
    text,
  }))
  return {
    kind: "transcript" as const,
    text,
    model: localModel,
    duration_ms: durationMs,
    // The same words again, so only where all of them fit.
    ...(text.length <= textBytes / 2 && { segments: timed }),
  }
}

interface Recording {
  readonly bytes: Uint8Array
  readonly format: AudioFormat
  readonly language: string | undefined
  readonly signal: AbortSignal
}

/** What a model behind an endpoint hears in a recording. */
async function askModel(
  endpoint: ModelEndpoint,
  { bytes, format, language, signal }: Recording,
): Promise<string> {
  const body = new FormData()
  // Some endpoints tell the format by the name alone.
  const file = new Blob([new Uint8Array(bytes)], { type: format.mimeType })
  body.set("file", file, `audio.${format.extension}`)
  body.set("model", endpoint.model)
  body.set("response_format", "json")
  if (language !== undefined) body.set("language", language)
  const answer = await askEndpoint(endpoint, { path: "audio/transcriptions", body, signal })
  const { text } = Object(answer) as { text?: unknown }
  if (typeof text === "string") return text.trim()
  throw new ToolFailure({
    kind: "execution_error",
    message: `${endpoint.model} answered without a text. Check that it is a model for transcription.`,
  })
}

/** How a recording is packed, told by its first bytes. */
interface AudioFormat {
  readonly mimeType: string
  readonly extension: string
  /** Null for what only a configured model can hear: decoders of AAC are under the GPL. */
  readonly decoder: SpeechRequest["decoder"] | null
}

const decoders: Readonly<Record<string, AudioFormat["decoder"]>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/aiff": "aiff",
  "video/webm": "webm",
  "audio/mp4": null,
  "video/mp4": null,
  "audio/aac": null,
}

/** Null for bytes that are not a recording. */
function formatOf(bytes: Uint8Array): AudioFormat | null {
  const mimeType = mimeTypeOfBytes(bytes)
  if (mimeType === null) return null
  const decoder = decoders[mimeType]
  if (decoder === undefined) return null
  return { mimeType, extension: extensionOf(mimeType) ?? "bin", decoder }
}

function notAudio(field: "path" | "data", formats: string): ToolFailure {
  return invalidArgument(
    field,
    `The file is not a recording that can be read. These can: ${formats}.`,
    "an audio file",
  )
}

function onlyRemote(field: "path" | "data"): ToolFailure {
  return invalidArgument(
    field,
    `The model on this machine can't read AAC (M4A, MP4). Convert the recording to one of ${localFormats}, or configure ` +
      "models.transcription in toolkeep.yaml.",
    `one of ${localFormats}`,
  )
}
