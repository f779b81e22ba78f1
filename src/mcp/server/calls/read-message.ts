import { type JSONRPCMessage, RELATED_TASK_META_KEY } from "@modelcontextprotocol/server"
import { isObject } from "../../../contract/index.ts"

export const parseError = -32_700
export const invalidRequest = -32_600
export const internalError = -32_603
const invalidParams = -32_602

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

/**
 * A JSON-RPC message, or what is wrong with it. Only what the protocol knows is passed on, and only in the form
 * that the SDK takes: what it does not take as a message it does not answer.
 */
export function checkMessage(value: unknown): ReadMessage {
  if (!isObject(value) || value.jsonrpc !== jsonrpc) return notMessage(value)
  const { id, method, params, result, error } = value
  if (typeof method === "string") {
    if ((id !== undefined && !isId(id)) || (params !== undefined && !isObject(params))) {
      return notMessage(value)
    }
    if (params && !isMeta(params._meta)) return badMeta(id)
    return pass({ jsonrpc, ...(isId(id) && { id }), method, ...(params && { params }) })
  }
  if (isId(id) && isObject(result)) return pass({ jsonrpc, id, result })
  if (isId(id) && isObject(error)) return pass({ jsonrpc, id, error })
  return notMessage(value)
}

const jsonrpc = "2.0"

function pass(message: object): ReadMessage {
  return { kind: "message", message: message as JSONRPCMessage }
}

function notMessage(value: unknown): BadMessage {
  const id = isObject(value) && isId(value.id) ? value.id : null
  const problem = Array.isArray(value)
    ? "Several messages in one array are not taken; send each by itself."
    : "This is no JSON-RPC 2.0 message."
  return { kind: "bad", code: invalidRequest, problem, id }
}

function badMeta(id: unknown): BadMessage {
  const problem =
    "params._meta has to be an object, and its progressToken a text or a whole number."
  return { kind: "bad", code: invalidParams, problem, id: isId(id) ? id : null }
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isObject(meta)) return false
  const { progressToken, [RELATED_TASK_META_KEY]: task } = meta
  if (progressToken !== undefined && !isId(progressToken)) return false
  return task === undefined || (isObject(task) && typeof task.taskId === "string")
}

/** Larger numbers are not told apart, and the SDK takes none of them. */
function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id)
}
