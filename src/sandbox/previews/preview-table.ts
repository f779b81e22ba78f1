import type { IncomingMessage } from "node:http"
import { headerValues } from "../network/message-head.ts"
import { previewLabel, requestedLabel } from "./preview-name.ts"

/** A server inside one of the session's sandboxes. */
export interface PreviewTarget {
  readonly sandbox: string
  readonly port: number
}

type FoundPreview =
  | { readonly kind: "found"; readonly target: PreviewTarget }
  | { readonly kind: "refused"; readonly status: number; readonly sentence: string }

/** The names that a session gave out, and which requests may use them. */
interface PreviewTable {
  /** The host name of a server inside; it is known from now on. */
  add(target: PreviewTarget): string
  knows(host: string): boolean
  find(message: IncomingMessage): FoundPreview
}

export function createPreviewTable(session: string): PreviewTable {
  const targets = new Map<string, PreviewTarget>()
  const targetOf = (host: string) => targets.get(requestedLabel(host) ?? "")
  return {
    add(target) {
      const label = previewLabel({ session, ...target })
      targets.set(label, target)
      return `${label}.localhost`
    },
    knows: (host) => targetOf(host) !== undefined,
    find(message) {
      // Whatever else resolves to this machine, such as a name that a hostile site owns, is not served.
      const [host = "", ...more] = headerValues(message, "host")
      const target = more.length === 0 ? targetOf(host) : undefined
      if (!target) return refused(404, "There is no preview with this name.")
      const isSameSandbox = (origin: string) =>
        portOf(origin) === portOf(host) && targetOf(origin)?.sandbox === target.sandbox
      const problem = originProblem(message, isSameSandbox)
      if (problem !== null) return refused(403, problem)
      const mistake = mistakeIn(message)
      return mistake === null ? { kind: "found", target } : refused(400, mistake)
    },
  }
}

/** As the browser knows it, which may be the near end of a tunnel. */
function portOf(host: string): string {
  return host.split(":")[1] ?? ""
}

/** What two readers could understand in two ways. */
function mistakeIn(message: IncomingMessage): string | null {
  const { url = "" } = message
  if (!url.startsWith("/")) return "The request target of a preview must be a path."
  const encodings = headerValues(message, "transfer-encoding")
  const isPlain = encodings.length === 0 || encodings.join().trim().toLowerCase() === "chunked"
  return isPlain ? null : "Only the transfer encoding chunked is passed on."
}

function refused(status: number, sentence: string): FoundPreview {
  return { kind: "refused", status, sentence }
}

const scheme = "http://"

/**
 * Any page in a person's browser can send requests to this machine. Following a link is allowed to all;
 * everything else only to pages of the same sandbox, whose hosts `isFriend` knows. A program that is no
 * browser sends none of these headers. Null when the request is fine.
 */
function originProblem(
  { headers, method }: IncomingMessage,
  isSameSandbox: (host: string) => boolean,
): string | null {
  const { origin, "sec-fetch-site": site, "sec-fetch-mode": mode } = headers
  if (origin?.startsWith(scheme) && isSameSandbox(origin.slice(scheme.length))) return null
  if (site === "same-origin" || site === "none") return null
  if (site === undefined && origin === undefined) return null
  const isLink = mode === "navigate" && (method === "GET" || method === "HEAD")
  if (isLink && headers.upgrade === undefined) return null
  return "This preview answers only its own pages, and another site asked."
}
