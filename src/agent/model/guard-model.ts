import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { Secrets } from "../../kit/index.ts"
import { ModelError, readProblem } from "./model-error.ts"

/** The same model under a name of ours, with errors that carry neither the key nor the request. */
export function guardModel(
  model: LanguageModelV4,
  provider: string,
  secrets: Secrets,
): LanguageModelV4 {
  const guard = (thrown: unknown) =>
    isAbort(thrown) ? thrown : new ModelError(readProblem(thrown, secrets))
  return {
    specificationVersion: model.specificationVersion,
    provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      try {
        return await model.doGenerate(options)
      } catch (error) {
        throw guard(error)
      }
    },
    async doStream(options) {
      try {
        const result = await model.doStream(options)
        return { ...result, stream: guardStream(result.stream, guard) }
      } catch (error) {
        throw guard(error)
      }
    },
  }
}

function guardStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  guard: (thrown: unknown) => unknown,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader()
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          controller.enqueue(
            value.type === "error" ? { ...value, error: guard(value.error) } : value,
          )
        } catch (error) {
          controller.error(guard(error))
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead, so what was cancelled was not read.
    { highWaterMark: 0 },
  )
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "AbortError"
}
