import { sha256 } from "../node/index.ts"

/** Any name is a name, and none of them leads elsewhere. */
export function directoryName(session: string): string {
  const plain = /^[A-Za-z0-9_-]{1,100}$/.test(session)
  return plain ? session : `=${sha256(session)}`
}
