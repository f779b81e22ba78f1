import type { RouteAnswer } from "../../src/api/index.ts"
import { ShownText } from "../parts/text/shown-text.tsx"
import { DiffResult } from "./diff-result.tsx"

export type Changes = RouteAnswer<"changes.list">
export type FileChanged = Changes["sandboxes"][number]["files"][number]

const words = { created: "Made", changed: "Changed", removed: "Removed" }

/** How a file differs, or why that is not known. */
export function FileDiff({ file }: { readonly file: FileChanged }) {
  const { diff, unknown, change, interrupted } = file
  return (
    <>
      {diff === undefined && (
        <p class="quiet">
          Diff not known, because <ShownText text={unknown ?? "nobody looked at it"} />
        </p>
      )}
      {diff === "" && (
        <p class="quiet">{change === "changed" ? "The same text as before." : "An empty file."}</p>
      )}
      {diff !== undefined && diff !== "" && <DiffResult diff={diff} about={words[change]} />}
      {interrupted && <p class="quiet">Something else has changed it between these calls too.</p>}
    </>
  )
}
