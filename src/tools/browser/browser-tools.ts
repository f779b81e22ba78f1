import type { SessionPreviews } from "../session-previews.ts"
import type { ToolParts } from "../tool-parts.ts"
import { browserAccess } from "./browser-access.ts"
import { clickTool } from "./click-tool.ts"
import { closeTool } from "./close-tool.ts"
import { evaluateTool } from "./evaluate-tool.ts"
import { navigateTool } from "./navigate-tool.ts"
import { screenshotTool } from "./screenshot-tool.ts"
import { scrollTool } from "./scroll-tool.ts"
import { selectTool } from "./select-tool.ts"
import { snapshotTool } from "./snapshot-tool.ts"
import { tabsTool } from "./tabs-tool.ts"
import { typeTool } from "./type-tool.ts"
import { waitTool } from "./wait-tool.ts"

/** The browser tools: one Chromium for a session, started by the first call that needs it. */
export function browserTools(parts: ToolParts, previews: SessionPreviews) {
  const browser = browserAccess(parts, previews)
  return [
    navigateTool(browser),
    snapshotTool(browser),
    clickTool(browser),
    typeTool(browser),
    selectTool(browser),
    scrollTool(browser),
    waitTool(browser),
    screenshotTool(browser, parts.artifacts),
    evaluateTool(browser),
    tabsTool(browser),
    closeTool(browser),
  ]
}
