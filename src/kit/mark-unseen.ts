/**
 * What a person does not see, or sees as something else: control characters, marks that turn the direction of
 * writing, characters without a width or a shape, spaces other than the plain one, halves of characters, characters
 * that no font has, and a third combining mark on one letter.
 */
const unseen =
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]--[ ]]|(?<=\p{M}{2})\p{M}/gv

/** A text that already has the form of a mark must not be taken for one. */
const lookalike = /<(?=U\+|\d+ spaces>)/g

/** The same text in one line, with a mark such as <U+202E> in the place of each character that can't be seen. */
export function markUnseen(text: string): string {
  return text.replaceAll(lookalike, "<U+003C>").replaceAll(unseen, markOf)
}

const emoji =
  /\p{Extended_Pictographic}(?:[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d\p{Extended_Pictographic})*\ufe0f?|[0-9#*]\ufe0f\u20e3/v

/** What steers a terminal, or hides on it. Letters and spaces of all languages stay. */
const steering = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]/v

/** The same text for a terminal, which nothing in it can steer: it has lines and tabs, and marks for the rest. */
export function printable(text: string): string {
  // Most texts have nothing of the kind, and this finds out at a tenth of the price.
  if (!steering.test(text)) return text
  const emojiOrSteering = new RegExp(`${emoji.source}|(${steering.source})`, "gv")
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(emojiOrSteering, (found, steers: string | undefined) =>
      steers === undefined ? found : markOf(steers),
    )
}

/** The same JSON for a terminal: what steers it is escaped, so that it still means the same. */
export function printableJson(json: string): string {
  return json.replaceAll(new RegExp(steering.source, "gv"), (found) =>
    Array.from({ length: found.length }, (_, index) => {
      const unit = found.charCodeAt(index).toString(16).padStart(4, "0")
      return `\\u${unit}`
    }).join(""),
  )
}

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}
