import { randomBytes } from "node:crypto"
import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server"
import { limits } from "../../../contract/index.ts"

/** What a client gives back with an answer, sealed: only what this client was really given is taken. */
export type RequestStates = RequestStateCodec<string>

export function createRequestStates(): RequestStates {
  // Longer than anybody may take to answer, so that a late answer is told from a forged one.
  const ttlSeconds = (2 * limits.approvalMs) / 1000
  return createRequestStateCodec({ key: randomBytes(32), ttlSeconds })
}
