import type { Page, Request, Response } from "playwright-core"
import { ToolFailure } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import type { OpenedPage } from "./page-result.ts"
import { glance, snapshotTree } from "./snapshot-tree.ts"
import type { Visit } from "./visit.ts"

export interface Navigation {
  readonly url: string
  readonly waitUntil: "load" | "domcontentloaded" | "networkidle"
  readonly timeout: number
}

/** Opens an address in the current tab. */
export async function navigate(visit: Visit, navigation: Navigation): Promise<OpenedPage> {
  const url = requireWebAddress(navigation.url)
  const page = await visit.page()
  const response = await openAddress(visit, page, { ...navigation, url })
  const tree = response === "download" ? null : await glimpse(visit)
  return {
    ...(await visit.result()),
    status: response === "download" ? null : (response?.status() ?? null),
    ...(tree === null ? {} : { tree }),
  }
}

/** Files, the browser's own pages and code in an address are not the web. */
export function requireWebAddress(text: string): string {
  const address = URL.parse(text)
  if (address?.protocol === "http:" || address?.protocol === "https:") return address.href
  if (address?.href === "about:blank") return address.href
  throw new ToolFailure({
    kind: address ? "rejected" : "invalid_args",
    field: "url",
    message: address
      ? `The browser opens only http and https addresses, not ${address.protocol}.`
      : "The url is not an address.",
    expected: 'an address such as "https://example.com/"',
  })
}

async function openAddress(
  visit: Visit,
  page: Page,
  { url, waitUntil, timeout }: Navigation,
): Promise<Response | null | "download"> {
  // Where redirects led, which an error does not say.
  let asked = url
  const hear = (request: Request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) asked = request.url()
  }
  const downloading = Promise.withResolvers<void>()
  page.on("request", hear)
  page.once("download", () => downloading.resolve())
  try {
    const response = await page.goto(url, { waitUntil, timeout, signal: visit.signal })
    if (response) requireReached(visit, response.url())
    return response
  } catch (error) {
    visit.signal.throwIfAborted()
    if (error instanceof ToolFailure) throw error
    if (/Download is starting/.test(String(error))) {
      await visit.within(downloading.promise).catch(() => {})
      return "download"
    }
    requireReached(visit, asked)
    if (error instanceof Error && error.name === "TimeoutError") await stopLoading(visit, page)
    throw networkFailure(error, asked) ?? error
  } finally {
    page.off("request", hear)
  }
}

/** What comes after the deadline must not replace what the next call opens. */
async function stopLoading(visit: Visit, page: Page): Promise<void> {
  await visit.within(page.evaluate("window.stop()"), browserLimits.answerMs).catch(() => {})
}

/** An answer of our own proxy is not a page. */
function requireReached(visit: Visit, url: string): void {
  const refusal = visit.events.refusalOf(url)
  if (refusal === null) return
  visit.events.forget(refusal)
  const { kind, place, reason } = refusal
  if (kind === "failed") {
    throw new ToolFailure({
      kind: "execution_error",
      message: `${place} could not be reached: ${reason}.`.replace(/\.\.$/, "."),
    })
  }
  throw new ToolFailure({
    kind: "rejected",
    message: `The network policy refuses ${place}: ${reason}. A person can change it under network in toolkeep.yaml.`,
  })
}

function networkFailure(error: unknown, url: string): ToolFailure | null {
  const [, code] = /net::(ERR_[A-Z_]+)/.exec(String(error)) ?? []
  if (code === undefined) return null
  const host = URL.parse(url)?.host ?? "the server"
  return new ToolFailure({
    kind: "execution_error",
    message: `The page could not be opened: ${code} at ${host}.`,
  })
}

async function glimpse(visit: Visit): Promise<string | null> {
  try {
    return (await snapshotTree(visit, glance))?.text ?? null
  } catch {
    visit.signal.throwIfAborted()
    return null
  }
}
