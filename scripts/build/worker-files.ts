import type { Rolldown } from "tsdown"

const workerUrl = /new URL\("(\.[^"]*\.ts)", import\.meta\.url\)/g

/**
 * Makes a built file of every source named by `new URL("./x.ts", import.meta.url)`, and has the
 * built code name that file, wherever the bundler puts the two.
 */
export function workerFiles(): Rolldown.Plugin {
  return {
    name: "worker-files",
    async transform(code, id) {
      const names = new Set([...code.matchAll(workerUrl)].map((match) => match[1] ?? ""))
      if (names.size === 0) return null
      const urls = new Map<string, string>()
      for (const name of names) {
        const found = await this.resolve(name, id)
        if (!found) throw new Error(`${id} names ${name}, which does not exist`)
        const fileName = builtName(found.id)
        const reference = this.emitFile({ type: "chunk", id: found.id, fileName })
        urls.set(name, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`)
      }
      return code.replace(workerUrl, (whole, name: string) => urls.get(name) ?? whole)
    },
  }
}

/** "…/src/sandbox/hosts/memory/memory-worker.ts" is built as "sandbox/hosts/memory/memory-worker.js". */
function builtName(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/^.*\/src\//, "")
    .replace(/\.ts$/, ".js")
}
