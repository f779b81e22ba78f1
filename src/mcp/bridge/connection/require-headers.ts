import { ToolFailure } from "../../../contract/index.ts"

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t -~\u0080-\u00ff]*$/

/** Headers that can be sent. What sends them would quote a value that can't be, and it may be a secret. */
export function requireHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name)) throw unusable("One of its headers has a name that can't be one.")
    if (headerValue.test(value.trim())) continue
    throw unusable(`Its header ${name} has a line break or another character that can't be sent.`)
  }
}

function unusable(message: string): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message, retryable: false })
}
