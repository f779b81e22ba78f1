import { type IncomingMessage, STATUS_CODES } from "node:http"
import { endToEndHeaders } from "./message-headers.ts"

/** How an answer begins, in a form that can be written to whoever asked. */
export interface AnswerHead {
  readonly kind: "head"
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string[]>>
}

export type ReadHead = AnswerHead | { readonly kind: "bad"; readonly problem: string }

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const value = /^[\t\u0020-\u007e\u0080-\u00ff]*$/
const printable = /^[\u0020-\u007e]*$/

/**
 * The head of a server's last answer to a request. Node reads more than it writes: a status below 100 or a
 * control character would throw where it is written, so that whoever writes a foreign head checks it here.
 */
export function answerHead(answer: IncomingMessage): ReadHead {
  const { statusCode: status = 0 } = answer
  if (status < 200 || status > 599)
    return bad(`has the status ${status}, and an answer's is 200 to 599`)
  return checkedHead(answer, status)
}

/** The head with which a server agrees to speak WebSocket from now on. */
export function webSocketHead(answer: IncomingMessage): ReadHead {
  if (answer.headers.upgrade?.trim().toLowerCase() !== "websocket") {
    return bad("changes to another protocol than WebSocket")
  }
  const read = checkedHead(answer, 101)
  if (read.kind === "bad") return read
  return { ...read, headers: { connection: ["Upgrade"], upgrade: ["websocket"], ...read.headers } }
}

function checkedHead(answer: IncomingMessage, status: number): ReadHead {
  const headers = endToEndHeaders(answer)
  for (const [name, values] of Object.entries(headers)) {
    if (!token.test(name)) return bad("has a header whose name is none")
    if (!values.every((one) => value.test(one))) return bad("has a header with a control character")
  }
  const { statusMessage = "" } = answer
  const reason = printable.test(statusMessage) ? statusMessage : (STATUS_CODES[status] ?? "")
  return { kind: "head", status, reason, headers }
}

/** The same as bytes, where there is no response object to write it. */
export function headBytes({ status, reason, headers }: AnswerHead): Buffer {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    values.map((one) => `${name}: ${one}`),
  )
  return Buffer.from([`HTTP/1.1 ${status} ${reason}`, ...lines, "\r\n"].join("\r\n"), "latin1")
}

function bad(what: string): ReadHead {
  return { kind: "bad", problem: `what came back ${what}` }
}
