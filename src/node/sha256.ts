/** The SHA-256 of a text, in hexadecimal. Node's crypto is loaded by the first use of it (bench row cold-call). */
export function sha256(text: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex")
}
