import { limits, ToolFailure } from "../../contract/index.ts"
import { webLimits } from "../limits.ts"

export type Headers = Readonly<Record<string, string>>

/** What the connection itself says: two voices about it are how requests are smuggled. */
const ownHeaders = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "expect",
  "te",
  "trailer",
  "upgrade",
])

const unprintable = /[^\t\u0020-\u007e\u0080-\u00ff]/

/** The caller's headers with small names, over those that every request has. */
export function requestHeaders(given: Headers, defaults: Headers): Headers {
  const headers: Record<string, string> = { ...defaults }
  for (const [name, value] of Object.entries(given)) {
    const small = name.toLowerCase()
    if (ownHeaders.has(small) || small.startsWith("proxy-")) {
      throw malformed(name, "is set by web.fetch itself; leave it out")
    }
    if (unprintable.test(value)) {
      throw malformed(name, "has a line break or another character that no header may have")
    }
    headers[small] = value.trim()
  }
  const size = Object.entries(headers).reduce((sum, pair) => sum + pair.join(": \r\n").length, 0)
  if (size > webLimits.headerBytes) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The headers have ${size} bytes together.`,
      field: "headers",
      expected: `at most ${webLimits.headerBytes} bytes`,
    })
  }
  return headers
}

function malformed(name: string, problem: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `The header ${name.slice(0, limits.quotedCharacters)} ${problem}.`,
    field: "headers",
    expected: 'names and values on one line, such as {"Accept-Language": "de"}',
  })
}
