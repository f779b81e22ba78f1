import type { ModelEndpoint } from "../../config/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { askEndpoint } from "../ask-endpoint.ts"
import type { AudioFormat } from "./audio-format.ts"

export interface Recording {
  readonly bytes: Uint8Array
  readonly format: AudioFormat
  readonly language: string | undefined
  readonly signal: AbortSignal
}

/** What a model behind an endpoint hears in a recording. */
export async function askTranscription(
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
