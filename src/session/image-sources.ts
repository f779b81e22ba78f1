import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { configRoot, type PolicyConfig } from "../config/index.ts"

/** The images sandboxes can use, by name: "host", or an absolute path. */
export type ImageSources = Readonly<Record<string, string>>

/** The images that a file names, with paths that no longer depend on where the file is. */
export function imageSources({ images = {}, origin }: PolicyConfig): ImageSources {
  const place = configRoot(origin).at("images")
  const base = dirname(origin?.file ?? ".")
  const found = Object.entries(images).map(([name, source]) => {
    if (source === "host") return [name, source] as const
    const path = resolve(base, source)
    if (!existsSync(path)) place.at(name).fail(`is ${JSON.stringify(path)}, which is not there.`)
    return [name, path] as const
  })
  return Object.fromEntries(found)
}
