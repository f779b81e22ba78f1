import type { ApiEvent, EventRoute, RouteArguments } from "../../src/api/index.ts"
import { client, isRefused } from "./client.ts"

/** Follows a stream of events until the returned function is called. */
export function watch<Name extends EventRoute>(
  name: Name,
  given: RouteArguments<Name>,
  onEvent: (event: ApiEvent) => void,
  onFailure: (error: unknown) => void = () => {},
): () => void {
  const ended = new AbortController()
  const follow = async () => {
    for await (const event of client().watch(name, given, { signal: ended.signal })) onEvent(event)
  }
  follow().catch((error: unknown) => {
    if (!ended.signal.aborted && !isRefused(error)) onFailure(error)
  })
  return () => ended.abort()
}
