const longest = 160

/** A value as a report shows it: on one line, and short. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  if (text.length <= longest) return text
  return `${text.slice(0, longest)}… (${text.length} characters)`
}
