import { STATUS_CODES } from "node:http"
import type { ClosedPassage } from "./outbound-connections.ts"

/** What a program inside is told instead of an answer from outside. */
export interface Refusal {
  readonly status: number
  readonly sentence: string
}

export function refusalOf(passage: ClosedPassage, target: string): Refusal {
  switch (passage.kind) {
    case "denied":
      return {
        status: 403,
        sentence: `The sandbox's network refuses ${target}: ${passage.rule}.`,
      }
    case "failed":
      return { status: 502, sentence: `${target} could not be reached: ${passage.reason}` }
    default:
      return passage satisfies never
  }
}

/** As bytes, where there is no response object to write it. */
export function refusalMessage({ status, sentence }: Refusal): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(sentence) + 1}`,
    "Connection: close",
    "",
    `${sentence}\n`,
  ].join("\r\n")
}
