import { limits, ToolFailure } from "../../../contract/index.ts"
import { navigate, requireWebAddress } from "./navigate.ts"
import type { Visit } from "./visit.ts"

export interface TabChange {
  readonly action: "list" | "new" | "select" | "close"
  readonly index?: number
  readonly url?: string
}

export async function changeTabs(visit: Visit, change: TabChange) {
  await perform(visit, change)
  const tabs = await visit.tabs.list()
  visit.tell()
  return { kind: "tabs" as const, tabs }
}

async function perform(visit: Visit, { action, index, url }: TabChange): Promise<void> {
  switch (action) {
    case "list":
      return
    case "new":
      return openTab(visit, url)
    case "select":
      if (index === undefined) throw needsIndex()
      await visit.within(visit.tabs.select(index).bringToFront()).catch(() => {})
      return
    case "close":
      await visit.tabs.close(index ?? visit.tabs.indexOf(await visit.page()))
      return
    default:
      action satisfies never
  }
}

async function openTab(visit: Visit, url: string | undefined): Promise<void> {
  if (url !== undefined) requireWebAddress(url)
  await visit.tabs.open(visit.signal)
  if (url === undefined) return
  await navigate(visit, { url, waitUntil: "load", timeout: limits.browser.navigateMs })
}

function needsIndex(): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    field: "index",
    message: "To select a tab, say which.",
    expected: "an index that browser.tabs lists, such as 0",
  })
}
