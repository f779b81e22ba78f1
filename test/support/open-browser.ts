import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { findProgram } from "../../src/node/index.ts"
import type { CheckedAnswers } from "./api-answers.ts"

/**
 * Debian's Chromium for pages of our own. Without windows it takes less than half of the processor time; the browser
 * tools are tested with the Chromium that people have, and so is what only that one does.
 */
export function openBrowser(
  args: readonly string[] = [],
  program: "chromium" | "chromium-headless-shell" = "chromium-headless-shell",
): Promise<Browser> {
  return chromium.launch({
    executablePath: findProgram(program, process.env.PATH ?? "") ?? program,
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...args],
  })
}

export interface WatchedPage {
  readonly page: Page
  /** Errors on the console, reports of the content security policy, requests that failed. */
  readonly problems: string[]
}

/** A page of a browser of its own, at this address. */
export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
  answers?: CheckedAnswers | null,
): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  // Only what never comes fails, as in all tests.
  page.setDefaultTimeout(90_000)
  const problems: string[] = []
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text())
  })
  page.on("pageerror", (error) => problems.push(String(error)))
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
  })
  page.on("response", (response) => {
    answers?.check({
      ...{ method: response.request().method(), url: response.url(), status: response.status() },
      mediaType: response.headers()["content-type"] ?? "",
      text: () => response.text(),
    })
  })
  await page.goto(address)
  return { page, problems }
}
