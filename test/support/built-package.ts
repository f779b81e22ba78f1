import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { repositoryRoot } from "../../scripts/repository.ts"

const inRepository = (path: string) => join(repositoryRoot, path)
const builds = inRepository("node_modules/.cache/built-package")
const ownBuild = join(builds, fingerprint())

/**
 * The package as users have it, without types: its command line starts in a third of the time that the sources
 * take. Built by the first test that needs it, and again when a source has changed.
 */
export const builtPackage: string = build()

export const commandLine: string = join(builtPackage, "dist/cli/main.js")

function build(): string {
  if (existsSync(ownBuild)) return ownBuild
  mkdirSync(builds, { recursive: true })
  // One process builds, the others wait for it; a lock of the kernel goes with whoever has it.
  const script = `test -e "$0" && exit
    node_modules/.bin/tsdown --no-dts --logLevel warn --out-dir "$0.part/dist" &&
    cp package.json "$0.part" && mv "$0.part" "$0"`
  execFileSync("flock", [join(builds, "lock"), "sh", "-c", script, ownBuild], {
    cwd: repositoryRoot,
    stdio: ["ignore", "ignore", "inherit"],
  })
  removeOldBuilds()
  return ownBuild
}

function removeOldBuilds(): void {
  const dayMs = 24 * 3_600_000
  for (const path of readdirSync(builds).map((name) => join(builds, name))) {
    const isOld = Date.now() - statSync(path).mtimeMs > dayMs
    if (isOld) rmSync(path, { recursive: true, force: true })
  }
}

/** Of what the package is built from. */
function fingerprint(): string {
  const hash = createHash("sha256")
  for (const path of ["package.json", "package-lock.json", "tsdown.config.ts", "scripts", "src"]) {
    const names = statSync(inRepository(path)).isDirectory()
      ? readdirSync(inRepository(path), { recursive: true, encoding: "utf8" })
      : [""]
    for (const name of names.sort()) {
      const { size, mtimeMs } = statSync(join(inRepository(path), name))
      hash.update(`${path}/${name} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest("hex").slice(0, 16)
}
