import { Defuddle } from "defuddle/node"
import { parseHTML } from "linkedom"
import { webLimits } from "../../limits.ts"
import { decodeText } from "../decode-text.ts"
import type { Conversion, ConversionJob } from "./conversion.ts"
import { nestsDeeper, pageText } from "./page-text.ts"

type HtmlJob = Extract<ConversionJob, { kind: "html" }>

/** The main part of a page, without menus, banners and scripts. Nothing is fetched for it. */
export async function convertHtml(job: HtmlJob, bytes: Uint8Array): Promise<Conversion> {
  const { text, notes } = decodeText(bytes, job.charset)
  const html = whole(text)
  const page = documentOf(html, job.url)
  if (!nestsDeeper(page, webLimits.pageDepth)) {
    try {
      const found = await mainPart(page, job)
      if (found.text.trim() !== "") return { ...found, notes }
    } catch {
      // Pages that the extraction stumbles over still have their words.
    }
  }
  // Parsed again, because the extraction may have changed the first document.
  const { document } = parseHTML(html)
  const words = pageText(document.body ?? document)
  const note = "The main part of the page was not found: this is all of its text."
  return {
    title: document.title ?? "",
    text: words,
    format: "text",
    notes: words === "" ? notes : [...notes, note],
  }
}

type Page = ReturnType<typeof documentOf>

async function mainPart(page: Page, { url, format }: HtmlJob) {
  const { title, content } = await Defuddle(page, url, {
    markdown: format === "markdown",
    useAsync: false,
  })
  if (format !== "text") return { title, text: content, format }
  const inner = parseHTML(whole(content)).document
  return { title, text: pageText(inner.body ?? inner), format }
}

/** With what the extraction asks for and linkedom lacks. */
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
