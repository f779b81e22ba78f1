import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { BenchRow } from "../harness/bench-row.ts"

const built = join(import.meta.dirname, "../../console/dist")

/** What a browser loads before it draws anything, and the largest part that it loads later; in kB, compressed. */
export function firstLoad(): readonly BenchRow[] {
  const page = readFileSync(join(built, "index.html"), "utf8")
  const named = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, name = ""]) => name)
  const sizeOf = (name: string) => {
    const packed = statSync(join(built, `${name}.br`), { throwIfNoEntry: false })
    return (packed ?? statSync(join(built, name))).size / 1_000
  }
  const first = ["index.html", ...named].reduce((sum, name) => sum + sizeOf(name), 0)
  const lazy = readdirSync(join(built, "assets"))
    .filter((name) => !name.endsWith(".br"))
    .map((name) => `assets/${name}`)
    .filter((name) => !named.includes(name))
  return [
    {
      id: "console-first-load",
      what: "what a browser loads before the first view is drawn, compressed, in kB",
      ...{ value: first, bar: 120, aim: 80, better: "lower" },
    },
    {
      id: "console-lazy-part",
      what: "the largest part that is loaded when it is needed, compressed, in kB",
      ...{ value: Math.max(0, ...lazy.map(sizeOf)), bar: 200, aim: 200, better: "lower" },
    },
  ]
}
