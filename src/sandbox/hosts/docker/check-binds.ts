import { permanentFailure } from "../../host/unsupported.ts"
import { identifyPath, isUnchanged, isWithin, type KnownPath } from "../../paths/known-path.ts"

/** What a bind shows of this machine, as it was when it was checked. */
interface KnownBind {
  readonly bind: string
  readonly isWritable: boolean
  readonly source: KnownPath
}

/**
 * Binds name directories and files by paths, which the engine looks up at each start of a container. One that
 * lies in another that commands may write could be swapped for a link to any path of this machine. The returned
 * function is for each start: the engine follows whatever links are on the way by then.
 */
export function checkBinds(binds: readonly string[]): () => void {
  const known = binds.flatMap((bind) => knowBind(bind) ?? [])
  for (const outer of known) for (const inner of known) refuseNested(inner, outer)
  return () => {
    // Editors replace a file; a directory stays the same one.
    const changed = known.find(({ source }) => source.isDirectory && !isUnchanged(source))
    if (!changed) return
    throw permanentFailure(
      `${changed.source.path} is no longer the directory that the bind ${JSON.stringify(changed.bind)} was to show. Put it back, or start Toolkeep again.`,
    )
  }
}

/** Null for a volume, and for what is not there: the engine has its own words for that. */
function knowBind(bind: string): KnownBind | null {
  const [path = "", , options = ""] = bind.split(":")
  const source = identifyPath(path)
  return source && { bind, isWritable: !options.split(",").includes("ro"), source }
}

function refuseNested(inner: KnownBind, outer: KnownBind): void {
  if (inner === outer || !outer.isWritable || !isWithin(inner.source, outer.source)) return
  throw permanentFailure(
    `The bind ${JSON.stringify(inner.bind)} lies in ${JSON.stringify(outer.bind)}, which commands may change. Leave it out, or make the outer one read-only (":ro").`,
  )
}
