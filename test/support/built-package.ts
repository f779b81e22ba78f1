import { execFile, execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { repositoryRoot } from "../../scripts/repository.ts"

const inRepository = (path: string) => join(repositoryRoot, path)
const builds = inRepository("node_modules/.cache/built-package")
const ownBuild = join(builds, fingerprint())

/**
 * The package as users have it, without types: its command line starts in a third of the time that the sources
 * take. Built by the first test that needs it, and again when a source has changed.
 */
export const builtPackage: string = ownBuild

if (!existsSync(builtPackage)) {
  execFileSync("flock", buildOnce(builtPackage, ["--no-dts"]), {
    cwd: repositoryRoot,
    stdio: ["ignore", "ignore", "inherit"],
  })
  removeOldBuilds()
}

export const commandLine: string = join(builtPackage, "dist/cli/main.js")

/** The same with types, as `npm run build` makes it, which takes longer: for tests of the types. */
export async function buildTypedPackage(): Promise<string> {
  const directory = `${ownBuild}-typed`
  await promisify(execFile)("flock", buildOnce(directory), { cwd: repositoryRoot })
  return directory
}

/** One process builds, the others wait for it; a lock of the kernel goes with whoever has it. A build that warns fails. */
function buildOnce(directory: string, options: readonly string[] = []): string[] {
  mkdirSync(builds, { recursive: true })
  const script = `test -e "$0" && exit
    said=$(node_modules/.bin/tsdown "$@" --logLevel warn --out-dir "$0.part/dist" 2>&1) && test -z "$said" &&
    cp -r console/dist "$0.part/dist/console" && cp package.json "$0.part" && mv "$0.part" "$0" && exit
    echo "$said" >&2; exit 1`
  return [`${directory}.lock`, "sh", "-c", script, directory, ...options]
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
  const configurations = ["tsconfig.json", "tsconfig.build.json", "tsdown.config.ts"]
  for (const path of ["package.json", "package-lock.json", ...configurations, "scripts", "src"]) {
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
