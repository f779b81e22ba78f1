import { type FailureKind, limits, ToolFailure } from "../../contract/index.ts"
import { webLimits } from "../limits.ts"

const expected = 'an http:// or https:// address, such as "https://example.com/docs"'

/** The address that a caller gave. */
export function requireAddress(text: string): URL {
  const url = URL.parse(text)
  const problem = url === null ? "is no address" : addressFault(url)
  if (url === null || problem !== null) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `The url ${problem}.`,
      field: "url",
      expected,
    })
  }
  return url
}

/** Where a redirect leads to: chosen by another machine, so a problem with it is not the input's fault. */
export function redirectedAddress(location: string, from: URL): URL {
  const url = URL.parse(location, from.href)
  if (url === null) throw refused(from, "execution_error", "an address that is none")
  const problem = addressFault(url)
  if (problem !== null) throw refused(from, "rejected", `an address that ${problem}`)
  if (url.hash === "") url.hash = from.hash
  return url
}

function addressFault(url: URL): string | null {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `has the scheme "${url.protocol.slice(0, limits.quotedCharacters)}", and only http: and https: are fetched`
  }
  if (url.username !== "" || url.password !== "") {
    return "carries a name or a password, which belong into an Authorization header"
  }
  if (url.href.length > webLimits.urlCharacters) {
    return `is longer than ${webLimits.urlCharacters} characters`
  }
  return null
}

function refused(from: URL, kind: FailureKind, what: string): ToolFailure {
  return new ToolFailure({ kind, message: `${from.origin} redirects to ${what}.` })
}
