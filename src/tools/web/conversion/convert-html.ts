import { Defuddle } from "defuddle/node"
import { parseHTML } from "linkedom"
import { limits } from "../../../contract/index.ts"
import { decodeText } from "../decode-text.ts"
import type { Conversion, ConversionJob, PageFormat } from "./conversion.ts"
import { nestsDeeper, pageText } from "./page-text.ts"

/** The main part of a page, without menus, banners and scripts. Nothing is fetched for it. */
export async function convertHtml(
  job: Extract<ConversionJob, { kind: "html" }>,
): Promise<Conversion> {
  const { text, notes } = decodeText(job.bytes, job.charset)
  const html = whole(text)
  const { document } = parseHTML(html)
  if (!nestsDeeper(document, limits.web.pageDepth)) {
    try {
      const found = await mainPart(html, job)
      if (found.text.trim() !== "") return { ...found, notes }
    } catch {
      // Pages that the extraction stumbles over still have their words.
    }
  }
  const words = pageText(document.body ?? document)
  const note = "The main part of the page was not found: this is all of its text."
  return {
    title: document.title ?? "",
    text: words,
    format: "text",
    notes: words === "" ? notes : [...notes, note],
  }
}

async function mainPart(
  html: string,
  { url, format }: { readonly url: string; readonly format: PageFormat },
) {
  const document = documentOf(html, url)
  const { title, content } = await Defuddle(document, url, {
    markdown: format === "markdown",
    useAsync: false,
  })
  if (format !== "text") return { title, text: content, format }
  const inner = parseHTML(whole(content)).document
  return { title, text: pageText(inner.body ?? inner), format }
}

/** What linkedom lacks of what the extraction asks for. */
function documentOf(html: string, url: string) {
  const { document } = parseHTML(html)
  document.styleSheets ??= []
  document.URL = url
  const view = document.defaultView
  if (view && !view.getComputedStyle) view.getComputedStyle = () => ({ display: "" })
  return document
}

/** A parser without a root makes no document. */
function whole(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`
}
