import { extractText, getDocumentProxy, getMeta } from "unpdf"
import type { Conversion } from "./conversion.ts"

/** The text of a PDF, its pages apart. A scan has none. */
export async function convertPdf(bytes: Uint8Array): Promise<Conversion> {
  const document = await getDocumentProxy(bytes)
  const { totalPages, text } = await extractText(document, { mergePages: false })
  const { info } = await getMeta(document)
  const joined = text.join("\n\n").trim()
  const scanned = "The PDF holds no text: its pages may be pictures."
  return {
    title: typeof info.Title === "string" ? info.Title : "",
    text: joined,
    format: "text",
    pages: totalPages,
    notes: joined === "" ? [scanned] : [],
  }
}
