import type { Random } from "../random.ts"

/** What a peer sends, in the pieces that it sends it in, and what it does then. */
export interface Script {
  readonly pieces: readonly Buffer[]
  readonly ending: "end" | "destroy" | "reset" | "stay"
}

/** One byte a character: every byte can be said, also those that no text has. */
type Bytes = string

/** How often a part of a message is not what a part should be: most of a message has to be read. */
const oddness = 0.04

const odd = (random: Random) => random.chance(oddness)

/** An answer as a hostile server writes it: almost HTTP. */
export function hostileAnswer(random: Random): Script {
  const early = random.chance(0.15) ? many(random, 4, interim) : ""
  const after = random.chance(0.05) ? answer(random) : ""
  return script(random, early + answer(random) + after)
}

/** An answer to an offer of a WebSocket, and what follows it. */
export function hostileUpgrade(random: Random): Script {
  const code = random.chance(0.8) ? "101" : status(random)
  const offer = random.chance(0.8) ? "Upgrade: websocket\r\nConnection: Upgrade\r\n" : ""
  const head = `HTTP/1.1 ${code}${reason(random)}\r\n${offer}${headers(random)}`
  return script(random, `${head}\r\n${text(random)}`)
}

export interface RequestPlan {
  /** What a well-formed request asks for, such as "http://host/path" or "/path". */
  readonly target: string
  readonly host: string
  readonly method?: string
  /** Whole lines that every request has. */
  readonly lines?: string
}

/** Requests as a hostile client writes them: almost HTTP, one or a few at once. */
export function hostileRequest(random: Random, plan: RequestPlan): Script {
  const more = random.chance(0.15) ? many(random, 4, () => request(random, plan)) : ""
  const ending = random.chance(0.8) ? "stay" : random.pick(endings)
  return { ...script(random, request(random, plan) + more), ending }
}

function request(random: Random, { target, host, method, lines = "" }: RequestPlan): Bytes {
  const verb = odd(random) ? random.pick(oddMethods) : (method ?? random.pick(methods))
  const place = odd(random) ? random.pick(oddTargets(target)) : target
  const version = odd(random) ? random.pick(versions) : "HTTP/1.1"
  const named = odd(random) ? random.pick([...oddHosts, `${host}\r\nHost: ${host}`, ""]) : host
  const hostLine = odd(random) ? "" : `Host: ${named}\r\n`
  const last = random.chance(0.8) ? "Connection: close\r\n" : ""
  return `${verb} ${place} ${version}${lineEnd(random)}${hostLine}${lines}${last}${message(random)}`
}

function answer(random: Random): Bytes {
  const version = odd(random) ? random.pick(versions) : "HTTP/1.1"
  return `${version} ${status(random)}${reason(random)}${lineEnd(random)}${message(random)}`
}

function interim(random: Random): Bytes {
  const code = random.pick(["100", "100", "102", "103", "103", "101", "199"])
  const few = random.chance(0.5) ? headers(random) : ""
  return `HTTP/1.1 ${code}${reason(random)}\r\n${few}\r\n`
}

function status(random: Random): string {
  return random.pick(random.chance(0.25) ? oddStatuses : statuses)
}

function reason(random: Random): Bytes {
  if (random.chance(0.5)) return " OK"
  return random.pick(["", " ", " \t", ` ${text(random)}`, ` ${random.pick(oddTexts)}`])
}

/** Headers and a body that may or may not fit each other. */
function message(random: Random): Bytes {
  const body = text(random)
  switch (random.pick(["none", "length", "chunks", "close", "any"] as const)) {
    case "none":
      return `${headers(random)}\r\n`
    case "length": {
      const length = odd(random) ? random.pick(oddLengths) : String(body.length)
      return `${headers(random)}Content-Length: ${length}\r\n\r\n${body}`
    }
    case "chunks": {
      const encoding = odd(random) ? random.pick(encodings) : "chunked"
      return `${headers(random)}Transfer-Encoding: ${encoding}\r\n\r\n${chunks(random)}`
    }
    case "close":
      return `${headers(random)}Connection: close\r\n\r\n${body}`
    default:
      return `${headers(random)}${headers(random)}\r\n${random.chance(0.5) ? chunks(random) : body}`
  }
}

function headers(random: Random): Bytes {
  return many(random, random.chance(0.03) ? 80 : 5, header)
}

function header(random: Random): Bytes {
  const name = random.pick(random.chance(0.15) ? (random.chance(0.3) ? oddNames : framing) : names)
  const separator = odd(random) ? random.pick(["", " : ", ":\t", ":  ", "::", " "]) : ": "
  const fold = odd(random) ? random.pick(["\r\n ", "\r\n\t", "\n ", "\r "]) : ""
  return `${name}${separator}${headerValue(random, name)}${fold}${lineEnd(random)}`
}

function headerValue(random: Random, name: string): Bytes {
  if (odd(random)) return random.pick(oddTexts)
  switch (name) {
    case "Content-Length":
      return random.pick(oddLengths)
    case "Transfer-Encoding":
      return random.pick(encodings)
    case "Connection":
      return random.pick(connections)
    case "Upgrade":
      return random.pick(["websocket", "h2c", "WebSocket, h2c", "", "TLS/1.0"])
    case "Content-Encoding":
      return random.pick(["gzip", "br", "deflate", "zstd", "identity", "gzip, gzip", "rot13"])
    case "Location":
      return random.pick(["/", "//[", "http://", "\\\\x", "?", "http://a:99999/", "file:///", "%"])
    case "Expect":
      return random.pick(["100-continue", "200-ok", ""])
    default:
      return random.chance(0.1) ? text(random) : random.pick(["1", "a=b; c", "text/html", "x, y"])
  }
}

function chunks(random: Random): Bytes {
  const some = many(random, 4, () => {
    const body = text(random)
    const size = odd(random) ? random.pick(oddSizes) : body.length.toString(16)
    const extension = odd(random) ? `;${random.pick(oddTexts)}` : ""
    return body === "" ? "" : `${size}${extension}${lineEnd(random)}${body}${lineEnd(random)}`
  })
  const trailers = random.chance(0.2) ? headers(random) : ""
  const end = odd(random) ? random.pick(["", "0", "00\r\n", "0\r\n"]) : "0\r\n"
  return `${some}${end}${trailers}${lineEnd(random)}`
}

function lineEnd(random: Random): Bytes {
  return random.chance(0.02) ? random.pick(["\n", "\r", "\r\r\n", "\0\r\n", "\n\r", ""]) : "\r\n"
}

function text(random: Random): Bytes {
  const length = random.chance(0.02) ? 70_000 : random.below(30)
  if (random.chance(0.6)) return "x".repeat(length)
  return String.fromCharCode(...Array.from({ length: length % 1_000 }, () => random.below(256)))
}

function many(random: Random, most: number, make: (random: Random) => Bytes): Bytes {
  return Array.from({ length: random.below(most + 1) }, () => make(random)).join("")
}

/** Bytes that were damaged on their way, cut off, and cut into pieces. */
function script(random: Random, whole: Bytes): Script {
  let bytes = Buffer.from(whole, "latin1")
  if (random.chance(0.1)) bytes[random.below(bytes.length)] = random.below(256)
  if (random.chance(0.1)) bytes = bytes.subarray(0, random.below(bytes.length + 1))
  const cuts = Array.from({ length: random.below(4) }, () => random.below(bytes.length + 1))
  const edges = [0, ...cuts.sort((left, right) => left - right), bytes.length]
  const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
  return {
    pieces: pieces.filter((piece) => piece.length > 0),
    ending: random.pick(endings),
  }
}

const endings = ["end", "end", "end", "destroy", "reset", "stay"] as const
const statuses = ["200", "200", "200", "204", "206", "301", "304", "401", "404", "500", "503"]
const oddStatuses = [
  ...["000", "001", "099", "100", "101", "102", "103", "199", "407", "600", "700", "999"],
  ...["", "2", "20", "1000", "2x0", "-20", "+200", "0200", " 200", "\u0000200", "²00"],
]
const versions = [
  "HTTP/1.0",
  "HTTP/1.2",
  "HTTP/2.0",
  "HTTP/0.9",
  "http/1.1",
  "HTTP/1.1 ",
  "ICY",
  "",
]
const methods = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"]
const oddMethods = [
  "get",
  "GE T",
  "",
  "G\u0000T",
  "PRI",
  "CONNECT",
  "SOURCE",
  "QUERY",
  "\r\nGET",
  "ä",
]
const names = [
  ...[
    "Set-Cookie",
    "Location",
    "Server",
    "__proto__",
    "constructor",
    "toString",
    "Content-Type",
    "Content-Encoding",
    "Trailer",
    "Keep-Alive",
    "Date",
    "X-Own",
    "Expect",
    "TE",
  ],
  ...["Cookie", "Origin", "Sec-WebSocket-Key", "Sec-WebSocket-Accept", "Proxy-Authenticate"],
]
const framing = ["Content-Length", "Transfer-Encoding", "Connection", "Upgrade"]
const oddNames = [
  ...[
    "",
    " X",
    "X ",
    "X\u0000",
    "X\u0001",
    "ä",
    "(x)",
    "X:Y",
    "\t",
    "x".repeat(9_000),
    "Content-Length ",
  ],
]
const connections = [
  ...["close", "keep-alive", "upgrade", "content-length", "__proto__", "constructor, x-own"],
  ...[" , ,", "close, keep-alive", "transfer-encoding", "Upgrade, HTTP2-Settings"],
]
const encodings = [
  ...["chunked", "identity", "gzip, chunked", "chunked, chunked", "xchunked", "chunked;q=1"],
  ...["", "\u000bchunked", "Chunked", "chunked, identity"],
]
const oddLengths = [
  ...[
    "0",
    "5",
    "7",
    "+5",
    "-1",
    "0x5",
    "5,5",
    "5, 7",
    "5 5",
    "1e3",
    "",
    "٣",
    "00005",
    "5.0",
    "NaN",
  ],
  ...["2147483648", "9007199254740993", "18446744073709551616", "99999999999999999999999999"],
]
const oddSizes = [
  ...["0", "05", "0x5", "-1", "g", "", " 5", "5 ", "+5", "5\u0000", "7fffffff", "80000000"],
  ...["FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFFF", "x".repeat(20_000)],
]
const oddTexts = [
  ...[
    "\u0000",
    "\u0001",
    "\u007f",
    "\u001b[2J",
    "\u0008",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "\u0085",
    "\u009b2J",
  ],
  ...[
    "äöü\u00ff",
    "Ã¤â‚¬",
    "%00%0d%0a",
    '"',
    "\\",
    "x".repeat(9_000),
    "x".repeat(70_000),
    "a\r\nX-In: 1",
  ],
]
const oddHosts = ["evil.example", "a b", "\u0000", "[::1]:80", "x:99999", "x:y", "ä.example", "a,b"]

function oddTargets(target: string): readonly string[] {
  return [
    ...["", "*", "/", "//", "\\", "?", "#", "http://", "http:///x", "https://x/", "x:0", "a@b:80"],
    ...[`${target}#x`, `${target}?${"q".repeat(9_000)}`, `${target}\u00ff`, `${target}\u0001`],
    ...[`${target}%`, `${target} x`, `${target}\t`, "/\u0000", "x".repeat(70_000), "[::1]:443"],
  ]
}
