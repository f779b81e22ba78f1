import { createHash, randomBytes } from "node:crypto"
import type { Clock } from "../../kit/index.ts"

export interface SingleUse<Value> {
  /** A secret that stands for the value, once and for a while. */
  create(value: Value): string
  /** The value of a secret, which is not valid any more then; undefined for any other text. */
  redeem(secret: string): Value | undefined
}

export interface SingleUseOptions {
  readonly clock: Clock
  /** How many are valid at once; the oldest makes way. */
  readonly most: number
  readonly lifeMs: number
}

/** Secrets that are good for one use each. They live in this process only. */
export function createSingleUse<Value>(options: SingleUseOptions): SingleUse<Value> {
  const { clock, most, lifeMs } = options
  const valid = new Map<string, { readonly value: Value; readonly expiresMs: number }>()
  const forgetOld = () => {
    const now = clock.now()
    for (const [digest, { expiresMs }] of valid) if (expiresMs <= now) valid.delete(digest)
  }
  return {
    create(value) {
      forgetOld()
      const [oldest] = valid.keys()
      if (oldest !== undefined && valid.size >= most) valid.delete(oldest)
      const secret = randomBytes(15).toString("base64url")
      valid.set(digestOf(secret), { value, expiresMs: clock.now() + lifeMs })
      return secret
    },
    redeem(secret) {
      forgetOld()
      const digest = digestOf(secret)
      const found = valid.get(digest)
      valid.delete(digest)
      return found?.value
    },
  }
}

/** Looked up by digest, so that the time says nothing about secrets. */
function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}
