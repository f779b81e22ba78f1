/**
 * Scripts that put no spaces between words. Their characters are words of their own here, and what a
 * query has of them is looked for as a phrase: so every part of such a text is found.
 */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

/** A text as the index of words takes it. */
export function searchableText(text: string): string {
  return text.normalize("NFKC").replaceAll("\0", " ").replace(unspaced, " $& ")
}
