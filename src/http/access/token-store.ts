import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import type { Scope } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { type Clock, createId, errorCode, errorText } from "../../kit/index.ts"
import { replaceFile } from "../../node/index.ts"
import type { RecordedSession } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"

export type TokenKind = "owner" | "session" | "read" | "approve"

/** A token as it is stored: without its secret. */
export interface Token {
  readonly id: string
  readonly name: string
  readonly kind: TokenKind
  /** Whether a sign-in code was exchanged for it. */
  readonly isDevice?: boolean
  /** The only session that it may use; null for all. */
  readonly session: string | null
  readonly createdMs: number
  readonly expiresMs: number | null
  readonly usedMs: number | null
}

interface StoredToken extends Token {
  /** Of the secret, in hexadecimal digits. */
  readonly digest: string
}

/** A client with the token of a session is the agent itself, so it must not answer the questions about its calls. */
const scopesOf: Readonly<Record<TokenKind, readonly Scope[]>> = {
  owner: ["open", "read", "call", "approve", "own"],
  session: ["open", "read", "call"],
  read: ["open", "read"],
  approve: ["open", "approve"],
}

export function allows({ kind }: Pick<Token, "kind">, scope: Scope): boolean {
  return scopesOf[kind].includes(scope)
}

/** The token of one session is good for that one and the tasks in it. */
export function isOwn(
  { session }: Pick<Token, "session">,
  { name, parent }: Pick<RecordedSession, "name" | "parent">,
): boolean {
  if (session === null || name === session) return true
  // A name alone makes no task: each new session would have limits of its own.
  return name.startsWith(`${session}/`) && parent !== null
}

export interface NewToken extends Pick<Token, "name" | "kind" | "session" | "isDevice"> {
  readonly lifeMs?: number | undefined
}

export interface TokenStore {
  /** The token with this secret; null for none, and for one that has expired or was revoked. */
  find(secret: string): Token | null
  /** Whether what `find` has found may still be used. */
  has(id: string): boolean
  list(): readonly Token[]
  /** The secret is in what is returned, and nowhere else. */
  create(token: NewToken): Promise<{ readonly id: string; readonly secret: string }>
  revoke(id: string): Promise<boolean>
}

export interface TokenStoreOptions {
  readonly file: string
  /** Secrets of the owner that are stored elsewhere. */
  readonly owners: readonly string[]
  readonly clock: Clock
}

/** The tokens of a home, in a file that several servers may use. */
export function openTokenStore({ file, owners, clock }: TokenStoreOptions): TokenStore {
  const ownersTokens = owners.map((secret, index): StoredToken => {
    const digest = digestOf(secret).toString("hex")
    return {
      ...{ id: `owner_${digest.slice(0, 8)}`, name: index === 0 ? "up" : `up ${index + 1}` },
      ...{ kind: "owner", session: null, createdMs: 0, expiresMs: null, usedMs: null, digest },
    }
  })
  let stored: readonly StoredToken[] = []
  let readAt = ""
  let isFresh = false
  /** When each was last used, which is written with the next change. */
  const used = new Map<string, number>()

  /** Another server may have created or revoked some. All that happens in one moment looks once. */
  function refresh(): void {
    if (isFresh) return
    const version = versionOf(file)
    if (version !== readAt) stored = version === "" ? [] : parseTokens(file)
    readAt = version
    isFresh = true
    setImmediate(() => {
      isFresh = false
    })
  }
  function valid(): readonly StoredToken[] {
    refresh()
    const now = clock.now()
    return [
      ...ownersTokens,
      ...stored.filter(({ expiresMs }) => expiresMs === null || expiresMs > now),
    ]
  }
  const withUse = (token: StoredToken): StoredToken => ({
    ...token,
    usedMs: used.get(token.id) ?? token.usedMs,
  })
  async function change(edit: (tokens: readonly StoredToken[]) => readonly StoredToken[]) {
    refresh()
    const now = clock.now()
    const living = stored.filter(({ expiresMs }) => expiresMs === null || expiresMs > now)
    stored = edit(living).map(withUse)
    await replaceFile(file, `${JSON.stringify({ version: 1, tokens: stored }, null, 2)}\n`)
    readAt = versionOf(file)
  }

  return {
    find(secret) {
      const digest = digestOf(secret)
      // All are compared, in a time that says nothing about them.
      const [found] = valid().filter((token) =>
        timingSafeEqual(Buffer.from(token.digest, "hex"), digest),
      )
      if (!found) return null
      used.set(found.id, clock.now())
      return publicToken(found)
    },
    has(id) {
      const isValid = valid().some((token) => token.id === id)
      if (isValid) used.set(id, clock.now())
      return isValid
    },
    list: () => valid().map(withUse).map(publicToken),
    async create({ name, kind, session, isDevice = false, lifeMs }) {
      if ((kind === "session") !== (session !== null)) {
        throw new ToolFailure({
          kind: "invalid_args",
          message: "A token of the kind session needs the name of one, and no other kind takes it.",
          field: "session",
        })
      }
      if (valid().length >= httpLimits.tokens) {
        const message = `There are ${httpLimits.tokens} tokens already. Revoke one first.`
        throw new ToolFailure({ kind: "rejected", message })
      }
      const secret = randomBytes(32).toString("base64url")
      const now = clock.now()
      const token: StoredToken = {
        ...{ id: createId("token"), name, kind, session, isDevice, createdMs: now, usedMs: null },
        expiresMs: lifeMs === undefined ? null : now + lifeMs,
        digest: digestOf(secret).toString("hex"),
      }
      await change((tokens) => [...tokens, token])
      return { id: token.id, secret }
    },
    async revoke(id) {
      refresh()
      if (!stored.some((token) => token.id === id)) return false
      await change((tokens) => tokens.filter((token) => token.id !== id))
      return true
    },
  }
}

function publicToken({ digest: _, ...token }: StoredToken): Token {
  return token
}

function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest()
}

/** Another text after each change; empty where there is no file. */
function versionOf(file: string): string {
  try {
    const { mtimeNs, ino, size } = statSync(file, { bigint: true })
    return `${mtimeNs} ${ino} ${size}`
  } catch (error) {
    if (errorCode(error) === "ENOENT") return ""
    throw error
  }
}

function parseTokens(file: string): readonly StoredToken[] {
  try {
    const { version, tokens } = JSON.parse(readFileSync(file, "utf8"))
    if (version !== 1 || !Array.isArray(tokens)) throw new Error("it is of another version")
    return tokens
  } catch (error) {
    throw new Error(
      `${file} can't be used (${errorText(error)}). Remove it to revoke all tokens, and sign in again.`,
    )
  }
}
