import { type CallContext, defineTool, type InferSchema, showLines } from "../../contract/index.ts"
import { missingKey } from "../ask-endpoint.ts"
import { audioLimits } from "../limits.ts"
import { missingPackages } from "../missing-packages.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { mimeTypeArgument, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import type { TranscribeAudio } from "./transcribe-audio.ts"

const inputSchema = object({
  "path?": text('An audio file of the sandbox, such as "recordings/call.mp3". Instead of data.'),
  "data?": text('The audio as base64, such as "UklGRiQ...". Instead of path.'),
  "mime_type?": {
    ...mimeTypeArgument,
    description: 'What data is, such as "audio/wav". The bytes themselves decide.',
  },
  "language?": {
    type: "string",
    pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    description: 'The language that is spoken, such as "en".',
  },
  "sandbox?": sandboxArgument,
})

const outputSchema = object({
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
})

export type TranscribeInput = InferSchema<typeof inputSchema>
export type TranscribeResult = InferSchema<typeof outputSchema>

const localPackages = [
  "@moonshine-ai/moonshine-js",
  "onnxruntime-web",
  "llama-tokenizer-js",
  "audio-decode",
]

/** audio.transcribe: what is said in a recording, by a configured model or by one on this machine. */
export function transcribeTool(parts: ToolDeps, work: SessionWork) {
  const remote = parts.settings.models?.transcription
  const missing = remote
    ? () => missingKey("audio.transcribe", remote)
    : missingPackages("audio.transcribe", localPackages)
  let opened: Promise<TranscribeAudio> | null = null
  const open = async () => {
    const { openTranscription } = await import("./transcribe-audio.ts")
    return openTranscription(parts, work)
  }
  return defineTool({
    name: "audio.transcribe",
    title: "Transcribe audio",
    description:
      `Writes down what is said in a recording (WAV, MP3, FLAC, Ogg, M4A, WebM)${remote ? "" : ", in English"}. ` +
      'Example: {"path": "recordings/call.mp3"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["media"],
    effects: remote ? ["read", "network"] : ["read"],
    pathArguments: ["path"],
    timeoutMs: audioLimits.timeoutMs,
    paths: (input) => (input.path === undefined ? [] : [{ path: input.path, mode: "read" }]),
    sandbox: namedSandbox,
    unavailableReason: missing,
    run: async (input: TranscribeInput, context: CallContext) => {
      opened ??= open()
      return (await opened)(input, context)
    },
    show: ({ text }) => showLines(text),
  })
}
