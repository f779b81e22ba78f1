import { existsSync } from "node:fs"

/** Beside the chunks of the package, or where a checkout builds it. */
const places = ["../console/", "../../../console/dist/"]

/** Where the console's files are; null where it was not built. */
export function consoleDirectory(): URL | null {
  const found = places
    .map((place) => new URL(place, import.meta.url))
    .find((place) => existsSync(new URL("index.html", place)))
  return found ?? null
}
