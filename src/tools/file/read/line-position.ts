/** Where a line of a file starts, or how many there are. */
export type LinePosition =
  | { readonly kind: "found"; readonly offset: number }
  | { readonly kind: "past-end"; readonly totalLines: number }
