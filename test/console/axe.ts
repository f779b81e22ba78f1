import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The page needs a context with `bypassCSP`. */
export async function addAxe(page: Page): Promise<void> {
  await page.evaluate(source)
}

/** What axe finds wrong with the page as it is now. */
export async function violations(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") }
    const { violations: all } = await axe.run()
    return all.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html)
          .join(" | ")
          .slice(0, 300)}`,
    )
  })
}
