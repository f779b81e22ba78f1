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
