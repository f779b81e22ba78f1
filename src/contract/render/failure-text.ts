import type { Failure } from "../envelope/envelope.ts"

/** A failure as one text, which says once what was expected. */
export function failureText({ message, expected }: Failure): string {
  const isSaid = expected === undefined || message.includes(expected)
  return isSaid ? message : `${message} Expected: ${expected}.`
}
