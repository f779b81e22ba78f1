import { type InferSchema, object, showLines } from "../../../contract/index.ts"
import { type ArtifactResult, artifactSchema, showArtifact } from "../../artifact-result.ts"
import { browserLimits } from "../../limits.ts"

/** The element that a call is for. */
export const refArgument = {
  type: "string",
  pattern: "^(f\\d+)?e\\d+$",
  description: 'Of the newest snapshot, such as "e12".',
} as const

const fields = {
  kind: { const: "page" },
  url: { type: "string" },
  title: { type: "string" },
  tab: { type: "integer" },
  console_errors: { type: "integer" },
  "downloads?": { type: "array", items: artifactSchema },
} as const

/** The page after a call. */
export const pageSchema = object(fields)

/** A page that was just opened: also the server's status and the top of its snapshot. */
export const openedPageSchema = object({
  ...fields,
  status: { type: ["integer", "null"] },
  "tree?": { type: "string" },
})

export type PageResult = InferSchema<typeof pageSchema>
export type OpenedPage = InferSchema<typeof openedPageSchema>

/** "200 · Title · https://example.com/", and the page's tree below it. */
export function showPage(page: {
  readonly url: string
  readonly title: string
  readonly status?: number | null
  readonly tree?: string
  readonly tab?: number
  readonly console_errors?: number
  readonly downloads?: readonly ArtifactResult[]
}): string {
  const { status, title, url, tree, tab = 0, console_errors: errors = 0, downloads = [] } = page
  return showLines(
    [status, title, url, tab > 0 && `tab ${tab}`].filter(Boolean).join(" · "),
    errors > 0 && `[${errors} errors in the console]`,
    ...downloads.map(showArtifact),
    tree === "" ? "[the page is empty]" : tree,
  )
}

/** A page's own words, cut and in quotes. */
export function quoted(text: string): string {
  const { shownCharacters } = browserLimits
  return JSON.stringify(text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text)
}
