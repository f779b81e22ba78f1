import { artifactResult } from "../artifact-result.ts"
import { webLimits } from "../limits.ts"
import { classifyContent, parseContentType } from "./content-type.ts"
import type { Conversion, ConversionJob, PageFormat } from "./conversion/conversion.ts"
import { decodeText } from "./decode-text.ts"
import type { FetchDeps } from "./fetch-page.ts"
import type { FetchInput } from "./fetch-tool.ts"
import type { Body } from "./read-body.ts"
import type { WebResponse } from "./send-request.ts"

export interface ShownBody {
  readonly format: PageFormat | "raw" | "binary"
  readonly text: string
  readonly title?: string
  readonly page_count?: number
  readonly artifact?: ReturnType<typeof artifactResult>
}

interface ShowDeps extends FetchDeps {
  readonly input: FetchInput
  readonly signal: AbortSignal
}

/** A body as a model can read it; what it can't read becomes a file for the person. */
export async function showBody(
  response: WebResponse,
  body: Body,
  parts: ShowDeps,
): Promise<ShownBody> {
  const { input, signal } = parts
  const { bytes } = body
  const type = parseContentType(response.header("content-type"))
  const wanted = input.format
  if (bytes.length === 0) return { format: "raw", text: "" }
  const convert = async (job: ConversionJob) => {
    const convertPage = await parts.openConverter()
    return shownConversion(await convertPage(job, { bytes, signal }), parts)
  }
  switch (classifyContent(type, bytes)) {
    case "html":
      if (wanted === "raw") return shownText(bytes, type.charset, parts)
      return convert({
        ...{ kind: "html", charset: type.charset, url: response.url.href, format: wanted },
      })
    case "text":
      return shownText(bytes, type.charset, parts)
    case "pdf":
      if (wanted === "raw" || body.truncated) return kept(response, body, parts)
      return convert({ kind: "pdf" })
    case "binary":
      return kept(response, body, parts)
  }
}

function shownConversion(conversion: Conversion, { context }: ShowDeps): ShownBody {
  const { title, text, format, pages, notes } = conversion
  for (const note of notes) context.warn(note)
  return {
    ...(title === "" ? {} : { title: title.slice(0, webLimits.snippetCharacters) }),
    ...(pages === undefined ? {} : { page_count: pages }),
    ...{ format, text },
  }
}

function shownText(bytes: Uint8Array, charset: string | null, { context }: ShowDeps): ShownBody {
  const { text, notes } = decodeText(bytes, charset)
  for (const note of notes) context.warn(note)
  return { format: "raw", text }
}

async function kept(response: WebResponse, body: Body, parts: ShowDeps): Promise<ShownBody> {
  const { context, artifacts, signal } = parts
  if (body.truncated) {
    context.warn(
      `The file has more than ${body.bytes.length} bytes and is not kept; ask for all of it with max_bytes.`,
    )
    return { format: "binary", text: "" }
  }
  signal.throwIfAborted()
  const { mimeType } = parseContentType(response.header("content-type"))
  const artifact = await artifacts.keep({
    filename: filenameOf(response),
    mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream",
    content: body.bytes,
  })
  return { format: "binary", text: "", artifact: artifactResult(artifact) }
}

/** A plain name from what the server calls the file, or from its address. */
function filenameOf({ header, url }: Pick<WebResponse, "header" | "url">): string {
  const disposition = header("content-disposition") ?? ""
  const named = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition)
  const given = named?.[1] ?? named?.[2] ?? url.pathname
  const last = given.split(/[/\\]/).filter(Boolean).at(-1) ?? ""
  const plain = last
    .replace(/%[0-9a-f]{2}/gi, "_")
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^\.+/, "")
  // From the end, where the extension is.
  return plain.slice(-webLimits.filenameCharacters).replace(/^\.+/, "") || "download"
}
