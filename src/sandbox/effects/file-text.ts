import type { FileText, Unknown } from "../../contract/index.ts"
import { effectsLimits } from "../limits.ts"

/** What was in a file at one time, or why that is not known. */
export type FoundText = FileText | Unknown

export const notRead: Unknown = { unknown: "nobody had read it before the call" }
export const outOfTime: Unknown = {
  unknown: "more had changed than could be read in the time for it",
}
export const tooLong: Unknown = { unknown: `it has more than ${effectsLimits.fileBytes} bytes` }
const notText: Unknown = { unknown: "it is not text" }
export const secret: Unknown = { unknown: "its name, mode or content says that it holds secrets" }

/** The text of a file; its path has "/" between names. */
export function textFrom(bytes: Uint8Array, path: string, mode: number): FoundText {
  if (isSecretPath(path) || isClosed(mode)) return secret
  if (bytes.length > effectsLimits.fileBytes) return tooLong
  if (bytes.includes(0)) return notText
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return /-----BEGIN [A-Z ]*PRIVATE KEY/.test(text) ? secret : { text }
  } catch {
    return notText
  }
}

/** Its owner has closed it to all others. */
function isClosed(mode: number): boolean {
  return (mode & 0o077) === 0
}

/** Files in which programs look for passwords, keys and tokens. What is in them goes into no record by itself. */
const secretNames =
  /^(?:\.env(?:\..*)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\..*)?|secrets?(?:\..*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate))$/i
const secretDirectories = new Set([
  ".ssh",
  ".aws",
  ".gnupg",
  ".azure",
  ".kube",
  ".docker",
  "gcloud",
])

function isSecretPath(path: string): boolean {
  const names = path.split("/")
  return secretNames.test(names.at(-1) ?? "") || names.some((name) => secretDirectories.has(name))
}
