/** Of one image or sound: as base64, Anthropic's API takes 5 MiB. */
const mediaBytes = (5 * 1024 ** 2 * 3) / 4

/** What an answer to a model shows of the files that a call has made. */
export const answerLimits = {
  /** Artifacts that one answer shows. */
  artifacts: 16,
  mediaBytes,
  /** Of all of them together: as base64, it fits into one MCP message, and into a request to every provider. */
  mediaBytesMost: 3 * mediaBytes,
  /** The longer side of an image: Anthropic's API refuses larger ones. */
  imagePixels: 8_000,
} as const
