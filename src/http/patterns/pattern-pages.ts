import type { PatternPage } from "./pattern-page.ts"

/** The patterns that run here, by their names in addresses. */
export interface PatternPages {
  list(): readonly PatternPage[]
  find(address: string): PatternPage | undefined
  add(page: PatternPage): void
}

export function createPatternPages(): PatternPages {
  const pages = new Map<string, PatternPage>()
  return {
    list: () => [...pages.values()],
    find: (address) => pages.get(address),
    add: (page) => pages.set(page.address, page),
  }
}
