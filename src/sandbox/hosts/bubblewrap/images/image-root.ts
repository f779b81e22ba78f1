/** What a sandbox's programs are. */
export type ImageRoot =
  /** This machine's own. */
  | { readonly kind: "host" }
  /** A directory with the root file system of another. */
  | {
      readonly kind: "tree"
      readonly path: string
      /** Where the image looks for programs; the usual places when it does not say. */
      readonly searchPath: string | null
    }
