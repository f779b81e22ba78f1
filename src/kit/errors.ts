/** What a thrown value says, for a sentence that quotes it. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The `code` of an error of Node's or the system's, such as "ENOENT"; undefined when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined
  return typeof thrown.code === "string" ? thrown.code : undefined
}
