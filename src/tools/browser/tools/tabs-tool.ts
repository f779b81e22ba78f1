import {
  choice,
  defineTool,
  integer,
  object,
  showLines,
  type ToolFailure,
  text,
} from "../../../contract/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import type { Visit } from "../page/visit.ts"

/** browser.tabs: lists, opens, selects and closes tabs. */
export function tabsTool(browser: BrowserAccess) {
  return defineTool({
    name: "browser.tabs",
    title: "Tabs of the browser",
    description:
      "Lists the browser's tabs, opens one, selects the one that other browser tools use, or closes one. " +
      'Example: {"action": "new", "url": "https://example.com/"}.',
    input: object({
      action: choice(["list", "new", "select", "close"], 'Such as "select".'),
      "index?": integer(
        "Which to select or close, such as 1; by default the current one is closed.",
        { minimum: 0, maximum: browserLimits.tabs - 1 },
      ),
      "url?": text("For a new tab.", {
        maxLength: browserLimits.urlCharacters,
      }),
    }),
    output: object({
      kind: { const: "tabs" },
      tabs: {
        type: "array",
        items: object({
          index: { type: "integer" },
          url: { type: "string" },
          title: { type: "string" },
          current: { type: "boolean" },
        }),
      },
    }),
    groups: ["web"],
    effects: ["network"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) =>
      browser.use(context, async (visit) => {
        await changeTabs(visit, input)
        const tabs = await visit.tabs.list()
        visit.tell()
        return { kind: "tabs" as const, tabs }
      }),
    show: ({ tabs }) =>
      showLines(
        ...tabs.map(
          ({ index, title, url, current }) =>
            `${index}${current ? " (current)" : ""}: ${title} ${url}`,
        ),
      ) || "No tabs are open.",
  })
}

interface TabChange {
  readonly action: "list" | "new" | "select" | "close"
  readonly index?: number
  readonly url?: string
}

async function changeTabs(visit: Visit, { action, index, url }: TabChange): Promise<void> {
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
  const { navigate, requireWebAddress } = await import("../page/navigate.ts")
  if (url !== undefined) requireWebAddress(url)
  await visit.tabs.open(visit.signal)
  if (url === undefined) return
  await navigate(visit, { url, waitUntil: "load", timeout: browserLimits.navigateMs })
}

function needsIndex(): ToolFailure {
  return invalidArgument(
    "index",
    'The action "select" needs an index.',
    "an index that browser.tabs lists, such as 0",
  )
}
