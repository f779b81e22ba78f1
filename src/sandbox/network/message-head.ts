import { type IncomingMessage, STATUS_CODES } from "node:http"

/** How an answer begins, in a form that can be written to the client. */
interface ResponseHead {
  readonly kind: "head"
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string[]>>
}

type ReadHead = ResponseHead | { readonly kind: "bad"; readonly problem: string }

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const value = /^[\t\u0020-\u007e\u0080-\u00ff]*$/
const printable = /^[\u0020-\u007e]*$/

/**
 * The head of a server's last answer to a request. Node reads more than it writes: a status below 100 or a
 * control character would throw where it is written, so code that writes a foreign head checks it here.
 */
export function responseHead(answer: IncomingMessage): ReadHead {
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
    if (!token.test(name)) return bad("has a header with an invalid name")
    if (!values.every((one) => value.test(one))) return bad("has a header with a control character")
  }
  const { statusMessage = "" } = answer
  const reason = printable.test(statusMessage) ? statusMessage : (STATUS_CODES[status] ?? "")
  return { kind: "head", status, reason, headers }
}

/** The same as bytes, where there is no response object to write it. */
export function headBytes({ status, reason, headers }: ResponseHead): Buffer {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    values.map((one) => `${name}: ${one}`),
  )
  return Buffer.from([`HTTP/1.1 ${status} ${reason}`, ...lines, "\r\n"].join("\r\n"), "latin1")
}

function bad(what: string): ReadHead {
  return { kind: "bad", problem: `what came back ${what}` }
}

/** What concerns only the two ends of one connection, and is not passed on. */
const hopByHop = [
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]

/** Every value of a header, in the order of the message; `name` in small letters. */
export function headerValues(message: IncomingMessage, name: string): readonly string[] {
  return allHeaders(message).get(name) ?? []
}

/** Any other encoding two readers could understand in two ways. */
export function isPlainlyEncoded(message: IncomingMessage): boolean {
  const encodings = headerValues(message, "transfer-encoding")
  return encodings.length === 0 || encodings.join().trim().toLowerCase() === "chunked"
}

/** Those that are passed on, with every value that a name has. */
export function endToEndHeaders(message: IncomingMessage): Record<string, string[]> {
  const headers = allHeaders(message)
  const named = (headers.get("connection") ?? []).flatMap((value) => value.split(","))
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim().toLowerCase())])
  // A sender that asks for it to be dropped would change where the message ends.
  dropped.delete("content-length")
  return Object.fromEntries([...headers].filter(([name]) => !dropped.has(name)))
}

/** From the message as it came: Node's own objects of headers know names such as "constructor" already. */
function allHeaders({ rawHeaders }: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2)
    const small = name.toLowerCase()
    const values = headers.get(small)
    if (values) values.push(value)
    else headers.set(small, [value])
  }
  return headers
}
