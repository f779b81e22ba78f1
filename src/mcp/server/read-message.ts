import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { isObject } from "../../contract/index.ts"

export const parseError = -32_700
export const invalidRequest = -32_600

export type ReadMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | BadMessage

export interface BadMessage {
  readonly kind: "bad"
  readonly code: number
  readonly problem: string
  /** Whom to answer, where it could be read. */
  readonly id: unknown
}

/** One JSON-RPC message out of its text, or what is wrong with it. */
export function readMessage(line: string): ReadMessage {
  try {
    return checkMessage(JSON.parse(line))
  } catch {
    return { kind: "bad", code: parseError, problem: "The line is not valid JSON.", id: null }
  }
}

/** A JSON-RPC message, or what is wrong with it. */
export function checkMessage(value: unknown): ReadMessage {
  if (isObject(value) && value.jsonrpc === "2.0" && (hasMethod(value) || isAnswer(value))) {
    return { kind: "message", message: value as JSONRPCMessage }
  }
  const id = isObject(value) && isId(value.id) ? value.id : null
  const problem = Array.isArray(value)
    ? "Several messages in one array are not taken; send each by itself."
    : "This is no JSON-RPC 2.0 message."
  return { kind: "bad", code: invalidRequest, problem, id }
}

function hasMethod({ method, id, params }: Record<string, unknown>): boolean {
  return (
    typeof method === "string" &&
    (id === undefined || isId(id)) &&
    (params === undefined || isObject(params))
  )
}

function isAnswer({ id, result, error }: Record<string, unknown>): boolean {
  return isId(id) && (isObject(result) || isObject(error))
}

function isId(id: unknown): boolean {
  return typeof id === "string" || Number.isInteger(id)
}
