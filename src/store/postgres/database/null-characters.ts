// PostgreSQL stores every character in a text except U+0000. It is written as two others here, and so is the first of those.

const unstorable = /[\0\u0001]/g
const escaped = /\u0001([01])/g

/** A text as it is stored. Different texts stay different. */
export function toStored(text: string): string {
  return text.replace(unstorable, (character) => (character === "\0" ? "\u00010" : "\u00011"))
}

export function fromStored(text: string): string {
  return text.includes("\u0001")
    ? text.replace(escaped, (_, which) => (which === "0" ? "\0" : "\u0001"))
    : text
}
