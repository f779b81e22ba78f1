import { cutText } from "../../../contract/index.ts"

/**
 * What a person can't see in a text but a model reads: control characters, marks that turn the direction of
 * writing, characters without a width or a shape, and those that spell hidden words.
 */
const unseen = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]/gv

/** A text from outside, without what nobody would see, and no longer than it may be. */
export function cleanText(text: string, maxBytes: number): string {
  return cutText(text.replaceAll("\r\n", "\n").replaceAll(unseen, ""), maxBytes).text.trim()
}
