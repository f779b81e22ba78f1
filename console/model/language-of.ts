const languages: Readonly<Record<string, readonly string[]>> = {
  javascript: ["js", "mjs", "cjs", "jsx", "javascript"],
  typescript: ["ts", "mts", "cts", "tsx", "typescript"],
  json: ["json", "jsonc", "webmanifest"],
  python: ["py", "pyi", "python"],
  css: ["css"],
  html: ["html", "htm", "xml", "svg"],
  markdown: ["md", "markdown"],
  yaml: ["yaml", "yml"],
}

/** The language of a file by its name, or of a block by its label; null for one that has no colours here. */
export function languageOf(name: string): string | null {
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase()
  const found = Object.entries(languages).find(([, endings]) => endings.includes(ending))
  return found?.[0] ?? null
}
