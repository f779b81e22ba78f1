import type { CallContext } from "../../contract/index.ts"
import { createEgressGuard } from "../../sandbox/index.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"
import type { Convert } from "./conversion/create-converter.ts"
import { type FetchInput, type FetchResult, fetchTool } from "./fetch-tool.ts"
import { searchTool } from "./search/search-tool.ts"

export type PageFetcher = (input: FetchInput, context: CallContext) => Promise<FetchResult>

/** web.fetch and web.search. Pages are read outside any sandbox, so `settings.network` guards them. */
export function webTools(parts: ToolDeps, work: SessionWork) {
  const { settings, version, artifacts } = parts
  const reach = createEgressGuard(settings.network)
  let converter: Promise<Convert> | undefined
  const openConverter = () => {
    converter ??= import("./conversion/create-converter.ts").then(({ createConverter }) =>
      createConverter(work),
    )
    return converter
  }
  const fetcher: PageFetcher = async (input, context) => {
    const { fetchPage } = await import("./fetch-page.ts")
    return fetchPage(input, { reach, version, artifacts, openConverter, context })
  }
  return [fetchTool(fetcher), searchTool({ providers: settings.search ?? [], version })]
}
