import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Rolldown } from "tsdown"

const packageDirectory = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

/** Writes licenses.txt: the licences of the packages whose code went into what was built. */
export function bundledLicenses(): Rolldown.Plugin {
  return {
    name: "bundled-licenses",
    generateBundle(_options, bundle) {
      const directories = new Set<string>()
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue
        for (const id of file.moduleIds) {
          const directory = packageDirectory.exec(id)?.[0]
          if (directory) directories.add(directory)
        }
      }
      const source = [...directories].sort().map(licenceOf).join("\n\n")
      if (source) this.emitFile({ type: "asset", fileName: "licenses.txt", source })
    },
  }
}

function licenceOf(directory: string): string {
  const { name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
  const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one))
  // Without it the package may not be passed on.
  if (!file) throw new Error(`${name} is bundled, but has no licence file.`)
  return `${name} ${version}\n\n${readFileSync(join(directory, file), "utf8").trim()}\n`
}
