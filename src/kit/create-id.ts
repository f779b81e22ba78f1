const alphabet = "0123456789abcdefghijkmnpqrstuvwxyz"

/** A random id that says what it names: `call_7d2k0v9w3q1x`. */
export function createId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  let id = ""
  for (const byte of bytes) id += alphabet[byte % alphabet.length]
  return `${prefix}_${id}`
}
