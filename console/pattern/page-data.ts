/** What the server sends of a page. */

export interface Problem {
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly frame?: string
}

export type PageNode =
  | string
  | { readonly hole: number }
  | { readonly error: Problem & { readonly step?: string } }
  | PageElement

export interface PageElement {
  readonly tag: string
  readonly props: Readonly<Record<string, PageProp>>
  readonly children: readonly PageNode[]
  readonly key?: string | number
}

export type PlainProp = string | number | boolean

export type PageProp = PlainProp | { readonly hole: number } | { readonly handler: string }

export type HoleValue = readonly PageNode[] | PlainProp | null

/** The whole page, or what changed together. */
export interface PageMessage {
  readonly name?: string
  readonly tree?: readonly PageNode[]
  readonly holes: Readonly<Record<number, HoleValue>>
  readonly problem?: Problem | null
}
