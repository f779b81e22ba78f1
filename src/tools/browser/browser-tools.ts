import type { SessionPreviews } from "../session-previews.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { browserAccess } from "./chromium/browser-access.ts"
import { clickTool } from "./tools/click-tool.ts"
import { closeTool } from "./tools/close-tool.ts"
import { evaluateTool } from "./tools/evaluate-tool.ts"
import { navigateTool } from "./tools/navigate-tool.ts"
import { screenshotTool } from "./tools/screenshot-tool.ts"
import { scrollTool } from "./tools/scroll-tool.ts"
import { selectTool } from "./tools/select-tool.ts"
import { snapshotTool } from "./tools/snapshot-tool.ts"
import { tabsTool } from "./tools/tabs-tool.ts"
import { typeTool } from "./tools/type-tool.ts"
import { waitTool } from "./tools/wait-tool.ts"

/** The browser tools: one Chromium for a session, started by the first call that needs it. */
export function browserTools(parts: ToolDeps, previews: SessionPreviews) {
  const { limits } = parts
  const browser = browserAccess(parts, previews)
  return [
    navigateTool(browser, limits),
    snapshotTool(browser, limits),
    clickTool(browser),
    typeTool(browser),
    selectTool(browser),
    scrollTool(browser),
    waitTool(browser, limits),
    screenshotTool(browser, parts.artifacts),
    evaluateTool(browser, limits),
    tabsTool(browser),
    closeTool(browser),
  ]
}
