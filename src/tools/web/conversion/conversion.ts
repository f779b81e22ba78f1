/** What the thread is asked to make text of. The bytes move to it. */
export type ConversionJob =
  | {
      readonly kind: "html"
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly charset: string | null
      readonly url: string
      readonly format: PageFormat
    }
  | { readonly kind: "pdf"; readonly bytes: Uint8Array<ArrayBuffer> }

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

export type ConversionAnswer =
  | { readonly kind: "converted"; readonly conversion: Conversion }
  | { readonly kind: "failed"; readonly reason: string }
