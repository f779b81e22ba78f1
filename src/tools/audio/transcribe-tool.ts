import type { ModelEndpoint } from "../../config/index.ts"
import {
  type CallContext,
  cutText,
  defineTool,
  limits,
  showLines,
  ToolFailure,
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
import { object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork, WorkKind } from "../work/session-work.ts"
import type { HeardSpeech, SpeechRequest } from "./speech-worker.ts"

const localModel = "moonshine-tiny"
const localPackages = [
  "@moonshine-ai/moonshine-js",
  "onnxruntime-web",
  "llama-tokenizer-js",
  "audio-decode",
]

const speechWork: WorkKind<SpeechRequest, HeardSpeech> = {
  file: new URL("./speech-worker.ts", import.meta.url),
  memoryBytes: audioLimits.memoryBytes,
}

/** audio.transcribe: what is said in a recording, by a configured model or by one on this machine. */
export function transcribeTool({ settings }: ToolDeps, work: SessionWork) {
  const remote = settings.models?.transcription
  return defineTool({
    name: "audio.transcribe",
    title: "Transcribe audio",
    description:
      `Writes down what is said in a recording (WAV, MP3, FLAC, Ogg, M4A, WebM)${remote ? "" : ", in English"}. ` +
      'Example: {"path": "recordings/call.mp3"}.',
    input: object({
      "path?": text(
        'An audio file of the sandbox, such as "recordings/call.mp3". Instead of data.',
      ),
      "data?": text('The audio as base64, such as "UklGRiQ...". Instead of path.'),
      "mime_type?": mimeTypeArgument(
        'What data is, such as "audio/wav". The bytes themselves decide.',
      ),
      "language?": {
        type: "string",
        pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        description: 'The language that is spoken, such as "en".',
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
      if (format === null) throw notAudio(field)
      if (remote) {
        const said = await askModel(remote, { bytes, format, language, signal })
        return { kind: "transcript", text: cutText(said).text, model: remote.model }
      }
      if (language !== undefined && !/^en\b/i.test(language)) {
        context.warn(
          `The model on this machine knows only English, not ${language}. For others, configure models.transcription in toolkeep.yaml.`,
        )
      }
      const { decoder } = format
      const heard = await work.ask(speechWork, { decoder, field }, { bytes, signal })
      return transcript(heard.value, context)
    },
    show: ({ text }) => showLines(text),
  })
}

function transcript({ durationMs, segments }: HeardSpeech, context: CallContext) {
  const text = segments.map((segment) => segment.text).join(" ")
  if (text === "") context.warn("No speech was heard in the recording.")
  const timed = segments.map(({ startMs, endMs, text }) => ({
    start_ms: startMs,
    end_ms: endMs,
    text,
  }))
  return {
    kind: "transcript" as const,
    text: cutText(text).text,
    model: localModel,
    duration_ms: durationMs,
    // The same words again, so only where all of them fit.
    ...(text.length <= limits.textBytes / 2 && { segments: timed }),
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
  /** What audio-decode calls it. */
  readonly decoder: SpeechRequest["decoder"]
}

const decoders: Readonly<Record<string, AudioFormat["decoder"]>> = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "video/mp4": "m4a",
  "audio/aac": "aac",
  "audio/aiff": "aiff",
  "video/webm": "webm",
}
/** An Ogg stream says within its first page what is in it. */
const firstPageBytes = 200

/** Null for bytes that are not a recording. */
function formatOf(bytes: Uint8Array): AudioFormat | null {
  const mimeType = mimeTypeOfBytes(bytes)
  if (mimeType === null) return null
  const decoder = mimeType === "audio/ogg" ? oggDecoder(bytes) : decoders[mimeType]
  return decoder ? { mimeType, extension: extensionOf(mimeType) ?? "bin", decoder } : null
}

function oggDecoder(bytes: Uint8Array): AudioFormat["decoder"] | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, firstPageBytes))
  if (start.includes("OpusHead")) return "opus"
  return start.includes("\x01vorbis") ? "oga" : undefined
}

function notAudio(field: "path" | "data"): ToolFailure {
  return invalidArgument(
    field,
    "The file is not a recording that can be read. WAV, MP3, FLAC, Ogg (Opus and Vorbis), M4A, AAC, AIFF, MP4 and WebM can.",
    "an audio file",
  )
}
