import { sha256 } from "../../node/index.ts"

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
