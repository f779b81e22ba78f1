import type { ApiEvent, EventRoute, RouteArguments } from "../../src/api/index.ts"
import { client, isRefused, isStopping } from "./client.ts"

interface WatchOptions {
  readonly onFailure?: (error: unknown) => void
  /** Whether nobody needs it in a tab that can't be seen. */
  readonly onlyWhileVisible?: boolean
  /** When the tab can be seen again, and the stream is opened again. */
  readonly onAgain?: () => void
}

/**
 * Follows a stream of events until the returned function is called. `given` is asked each time that it is opened, so that
 * a stream goes on where it was.
 */
export function watch<Name extends EventRoute>(
  name: Name,
  given: () => RouteArguments<Name>,
  onEvent: (event: ApiEvent) => void,
  { onFailure = () => {}, onlyWhileVisible = false, onAgain = () => {} }: WatchOptions = {},
): () => void {
  let ended = new AbortController()
  const follow = async (signal: AbortSignal) => {
    const onStopping = () => {
      isStopping.value = true
    }
    for await (const event of client().watch(name, given(), { signal, onStopping })) {
      if (!signal.aborted) onEvent(event)
    }
  }
  const open = () => {
    ended = new AbortController()
    const { signal } = ended
    follow(signal).catch((error: unknown) => {
      if (!signal.aborted && !isRefused(error)) onFailure(error)
    })
  }
  const onVisibility = () => {
    ended.abort()
    if (document.hidden) return
    open()
    onAgain()
  }
  if (!onlyWhileVisible || !document.hidden) open()
  if (onlyWhileVisible) document.addEventListener("visibilitychange", onVisibility)
  return () => {
    document.removeEventListener("visibilitychange", onVisibility)
    ended.abort()
  }
}
