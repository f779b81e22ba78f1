import { cutText } from "../../../contract/index.ts"

/** Invisible to a person but read by a model: control characters, direction marks, characters without width or shape. */
const invisible = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]/gv

/** A text of a server, without invisible characters, cut to a length. */
export function cleanText(text: string, maxBytes: number): string {
  return cutText(text.replaceAll("\r\n", "\n").replaceAll(invisible, ""), maxBytes).text.trim()
}
