import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { makeDirectories } from "../../../../node/index.ts"

/** Who may use the HTTP server. */
export interface AccessTokens {
  /** The one to show to a person who connects a client. */
  readonly first: string
  /** The names of all tokens; the first is the owner's. */
  readonly names: readonly string[]
  /** A short name for a token, from which the token can't be told; null for one that is not known. */
  readonly nameOf: (token: string) => string | null
}

/** The tokens of a file, one a line; made with one token at the first start. Only its owner can read it. */
export function openAccessTokens(file: string): AccessTokens {
  const tokens = readTokens(file)
  const digests = tokens.map(digestOf)
  return {
    first: tokens[0] ?? "",
    names: [...new Set(digests.map(nameFrom))],
    nameOf(token) {
      const digest = digestOf(token)
      // All are compared, in a time that says nothing about them.
      const same = digests.filter((known) => timingSafeEqual(known, digest))
      return same.length === 0 ? null : nameFrom(digest)
    },
  }
}

function nameFrom(digest: Buffer): string {
  return digest.toString("hex").slice(0, 16)
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}

function readTokens(file: string): string[] {
  makeDirectories(dirname(file), 0o700)
  try {
    // Fails when it is there, so that two servers that start together have the same.
    writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { flag: "wx", mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    chmodSync(file, 0o600)
  }
  const lines = readFileSync(file, "utf8").split("\n")
  const tokens = lines.map((line) => line.trim()).filter((line) => line.length >= shortest)
  if (tokens.length > 0) return tokens
  throw new Error(
    `${file} holds no token of ${shortest} characters. Remove it, and a new one is made.`,
  )
}

const shortest = 16
