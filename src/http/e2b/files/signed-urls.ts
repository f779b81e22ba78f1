import { createHash, timingSafeEqual } from "node:crypto"

/** What somebody with a signed address asks for. */
export interface SignedRequest {
  readonly operation: "read" | "write"
  readonly path: string
  readonly user: string
  readonly signature: string
  /** In seconds since 1970; null for one that does not expire. */
  readonly expiration: number | null
}

/** The parts of a signed address; null for one that is not signed. */
export function readSigned(
  { searchParams }: URL,
  operation: SignedRequest["operation"],
): SignedRequest | null {
  const signature = searchParams.get("signature")
  if (signature === null) return null
  const expires = searchParams.get("signature_expiration")
  return {
    ...{ operation, signature },
    path: searchParams.get("path") ?? "",
    user: searchParams.get("username") ?? "",
    expiration: expires === null ? null : Number(expires),
  }
}

/** Without the "=" at the end, as the clients sign. */
const digestCharacters = 43

/** Whether the holder of this access token has signed it, and it has not expired. */
export function isSignedWith(accessToken: string, request: SignedRequest, nowMs: number): boolean {
  const { path, operation, user, expiration, signature } = request
  const hasExpired = expiration !== null && !(expiration * 1000 > nowMs)
  const parts = [path, operation, user, accessToken, ...(expiration === null ? [] : [expiration])]
  const hash = createHash("sha256").update(parts.join(":")).digest("base64")
  const digest = hash.slice(0, digestCharacters)
  const expected = Buffer.from(`v1_${digest}`)
  const given = Buffer.from(signature)
  return expected.length === given.length && timingSafeEqual(expected, given) && !hasExpired
}
