import { createHash, randomBytes } from "node:crypto"
import type { Clock } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"

export interface SignInCodes {
  create(): string
  /** Whether the code is valid; it is not any more then. */
  redeem(code: string): boolean
}

/** Codes that sign in one device each. They live in this process only. */
export function createSignInCodes(clock: Clock): SignInCodes {
  const expiry = new Map<string, number>()
  const forgetOld = () => {
    const now = clock.now()
    for (const [digest, at] of expiry) if (at <= now) expiry.delete(digest)
  }
  return {
    create() {
      forgetOld()
      // The oldest makes way.
      const [oldest] = expiry.keys()
      if (oldest !== undefined && expiry.size >= httpLimits.codes) expiry.delete(oldest)
      const code = randomBytes(15).toString("base64url")
      expiry.set(digestOf(code), clock.now() + httpLimits.codeMs)
      return code
    },
    redeem(code) {
      forgetOld()
      return expiry.delete(digestOf(code))
    },
  }
}

/** Looked up by digest, so that the time says nothing about codes. */
function digestOf(code: string): string {
  return createHash("sha256").update(code).digest("hex")
}
