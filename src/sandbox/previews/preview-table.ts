import type { IncomingMessage } from "node:http"
import { sha256 } from "../../node/index.ts"
import { headerValues, isPlainlyEncoded } from "../network/message-head.ts"

/** A server inside one of the session's sandboxes. */
export interface PreviewTarget {
  readonly sandbox: string
  readonly port: number
}

type FoundPreview =
  | { readonly kind: "found"; readonly target: PreviewTarget }
  | { readonly kind: "refused"; readonly status: number; readonly sentence: string }

/** The names that a session gave out, and which requests may use them. */
export function createPreviewTable(session: string) {
  const targets = new Map<string, PreviewTarget>()
  const targetOf = (host: string) => targets.get(requestedLabel(host) ?? "")
  return {
    /** The host name of a server inside; it is known from now on. */
    add(target: PreviewTarget): string {
      const label = previewLabel({ session, ...target })
      targets.set(label, target)
      return `${label}.localhost`
    },
    knows: (host: string) => targetOf(host) !== undefined,
    find(message: IncomingMessage): FoundPreview {
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
  return isPlainlyEncoded(message) ? null : "Only the transfer encoding chunked is passed on."
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

/** A server inside a sandbox, as a browser may ask for it. */
export interface PreviewAddress {
  readonly session: string
  readonly sandbox: string
  readonly port: number
}

const plain = /^[a-z0-9]+(-[a-z0-9]+)*$/
const longestLabel = 63
const digestCharacters = 16
const given = /^([a-z0-9-]{1,63})\.localhost\.?(?::\d{1,5})?$/i

/**
 * `<port>-<sandbox>-<session>` where no other address could be meant by that. A name with other characters,
 * a sandbox with a dash in its name or too long a label gets a digest after "--", which no plain one has.
 */
export function previewLabel({ session, sandbox, port }: PreviewAddress): string {
  const isPlain = plain.test(sandbox) && !sandbox.includes("-") && plain.test(session)
  const label = `${port}-${sandbox}-${session}`
  if (isPlain && label.length <= longestLabel) return label
  const digest = sha256(JSON.stringify([sandbox, session]))
  const end = `--${digest.slice(0, digestCharacters)}`
  const words = [port, slug(sandbox), slug(session)].filter((word) => word !== "").join("-")
  return `${words.slice(0, longestLabel - end.length).replace(/-$/, "")}${end}`
}

/** The label that a Host header or an origin's host asks for; null for any other host. */
export function requestedLabel(host: string): string | null {
  return given.exec(host)?.[1]?.toLowerCase() ?? null
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
}
