import { answerRequests, type WorkAnswer } from "../../work/answer-requests.ts"

/** What is converted to text; its bytes are sent beside it. */
export type ConversionJob =
  | {
      readonly kind: "html"
      readonly charset: string | null
      readonly url: string
      readonly format: PageFormat
    }
  | { readonly kind: "pdf" }

export type PageFormat = "markdown" | "text" | "html"

export interface Conversion {
  readonly title: string
  readonly text: string
  /** What was made, which may be plainer than what was asked for. */
  readonly format: PageFormat
  /** Of a PDF. */
  readonly pages?: number
  readonly notes: readonly string[]
}

// Loaded by the first page that needs them; a process that can't find them is of no use.
for (const name of ["defuddle/node", "linkedom", "unpdf"]) import.meta.resolve(name)

async function convert(job: ConversionJob, bytes: Uint8Array<ArrayBuffer>): Promise<Conversion> {
  switch (job.kind) {
    case "html": {
      const { convertHtml } = await import("./convert-html.ts")
      return convertHtml(job, bytes)
    }
    case "pdf":
      return convertPdf(bytes)
    default:
      return job satisfies never
  }
}

/** The text of a PDF, its pages apart. A scan has none. */
async function convertPdf(bytes: Uint8Array): Promise<Conversion> {
  const { extractText, getDocumentProxy, getMeta } = await import("unpdf")
  const document = await getDocumentProxy(bytes)
  const { totalPages, text } = await extractText(document, { mergePages: false })
  const { info } = await getMeta(document)
  const joined = text.join("\n\n").trim()
  const scanned = "The PDF contains no text; its pages may be images."
  return {
    title: typeof info.Title === "string" ? info.Title : "",
    text: joined,
    format: "text",
    pages: totalPages,
    notes: joined === "" ? [scanned] : [],
  }
}

answerRequests(
  async (job: ConversionJob, bytes): Promise<WorkAnswer<Conversion>> => ({
    value: await convert(job, bytes),
  }),
)
