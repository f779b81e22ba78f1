import { STATUS_CODES } from "node:http"
import type { Passage } from "./passages.ts"

/** What a program inside is told instead of an answer from outside. */
export interface Refusal {
  readonly status: number
  readonly sentence: string
}

export function refusalOf(passage: Exclude<Passage, { kind: "open" }>, target: string): Refusal {
  switch (passage.kind) {
    case "denied":
      return {
        status: 403,
        sentence: `The sandbox's network refuses ${target}: ${passage.rule}.\n`,
      }
    case "failed":
      return { status: 502, sentence: `${target} could not be reached: ${passage.reason}\n` }
    default:
      return passage satisfies never
  }
}

export function refusalHeaders({ sentence }: Refusal): Record<string, string> {
  return {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(sentence)),
    Connection: "close",
  }
}

/** The same as bytes, where there is no response object to write it. */
export function refusalMessage(refusal: Refusal): string {
  const headers = Object.entries(refusalHeaders(refusal)).map((pair) => pair.join(": "))
  const start = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`
  return [start, ...headers, "", refusal.sentence].join("\r\n")
}
