import { modelLimits } from "../limits.ts"

/**
 * Asks a provider. What it answers, also with an error, is read no further than memory should hold; and the request with its
 * key goes to the address that a person gave, and to no other that a server names.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "error" })
  if (!response.body) return response
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes > modelLimits.answerBytes) throw tooLong(`${modelLimits.answerBytes} bytes`)
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(counted, response)
}

export function tooLong(most: string): Error {
  return new Error(`the answer has more than ${most}`)
}
