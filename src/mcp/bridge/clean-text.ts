import { cutText } from "../../contract/index.ts"

/**
 * What a person can't see in a text but a model reads: control characters, marks that turn the
 * direction of writing, characters without a width, and the tag characters that spell hidden words.
 */
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** A text from outside, without what nobody would see, and no longer than it may be. */
export function cleanText(text: string, maxBytes: number): string {
  return cutText(text.replaceAll("\r\n", "\n").replaceAll(unseen, ""), maxBytes).text.trim()
}
