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
  /** The id to answer to, if it could be read. */
  readonly id: unknown
}

/** Parses one JSON-RPC message, or says what is wrong with it. */
export function readMessage(line: string): ReadMessage {
  try {
    return checkMessage(JSON.parse(line))
  } catch {
    return { kind: "bad", code: parseError, problem: "The line is not valid JSON.", id: null }
  }
}

/** Accepts what the SDK accepts as a message, because it does not answer anything else; unknown fields are dropped. */
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
    ? "Arrays of messages are not accepted; send each message by itself."
    : "This is not a JSON-RPC 2.0 message."
  return { kind: "bad", code: invalidRequest, problem, id }
}

function badMeta(id: unknown): BadMessage {
  const problem = "params._meta must be an object, and its progressToken a string or an integer."
  return { kind: "bad", code: invalidParams, problem, id: isId(id) ? id : null }
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isObject(meta)) return false
  const { progressToken, [RELATED_TASK_META_KEY]: task } = meta
  if (progressToken !== undefined && !isId(progressToken)) return false
  return task === undefined || (isObject(task) && typeof task.taskId === "string")
}

/** Larger numbers are not exact, and the SDK refuses them. */
function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id)
}
