import { execFile } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { findProgram, sha256 } from "../../node/index.ts"
import { touch } from "../owners/shared-directory.ts"
import { placeWhole, putFile } from "./place-whole.ts"
import { relocateProgram } from "./relocate-program.ts"

/** Where sandboxes see the injected programs, and what is in there. */
export const injectedPaths = {
  inside: "/run/lent",
  programs: "/run/lent/bin",
  bash: "/run/lent/bin/bash",
} as const

const libraries = `${injectedPaths.inside}/lib`

/** Where GNU's C library looks for languages, and that of sandboxes: without it bytes count as characters. */
const locales = { directory: "/usr/lib/locale", name: "C.utf8" } as const

interface Source {
  readonly name: string
  /** On this machine. */
  readonly path: string
}

/**
 * Puts programs of this machine, with all libraries they need, into a directory for images that lack
 * them, also for images of another C library. Answers with the directory; done again, it costs little.
 */
export async function injectPrograms(
  parent: string,
  names: readonly string[],
  path: string,
): Promise<string> {
  const sources = names.map((name) => findSource(name, path))
  const target = join(parent, `gnu-${fingerprint(sources)}`)
  if (existsSync(target)) {
    touch(target)
    return target
  }
  const needed = await Promise.all(sources.map((source) => librariesOf(source.path)))
  const files = new Set(needed.flat())
  const loader = [...files].map((file) => basename(file)).find(isLoader)
  placeWhole(target, (directory) => {
    for (const name of ["bin", "lib"]) mkdirSync(join(directory, name), { mode: 0o755 })
    for (const source of sources) putProgram(source, join(directory, "bin"), loader)
    for (const file of files) putLibrary(realpathSync(file), join(directory, "lib", basename(file)))
    const locale = join(locales.directory, locales.name)
    if (existsSync(locale)) cpSync(locale, join(directory, locales.name), copying)
  })
  return target
}

const copying = { recursive: true, dereference: true } as const

/** The C library finds the language where the programs are: a name of the same length replaces its own. */
function putLibrary(source: string, target: string): void {
  const library = basename(target) === "libc.so.6" ? readFileSync(source) : Buffer.of()
  const at = library.indexOf(`\0${locales.directory}\0`)
  if (at >= 0) {
    library.write(injectedPaths.inside.padEnd(locales.directory.length, "/"), at + 1)
    writeFileSync(target, library, { mode: 0o755 })
  } else putFile(source, target)
}

/** One that needs no loader is taken as it is. */
function putProgram({ name, path }: Source, directory: string, loader: string | undefined): void {
  const program = readFileSync(path)
  const relocated =
    loader === undefined
      ? null
      : relocateProgram(program, { loader: `${libraries}/${loader}`, libraries })
  writeFileSync(join(directory, name), relocated ?? program, { mode: 0o755 })
}

function findSource(name: string, path: string): Source {
  const found = findProgram(name, path)
  if (found === null) throw new Error(`This machine has no ${name} to inject.`)
  return { name, path: realpathSync(found) }
}

/** Another version of a program is put beside the one that running sandboxes use. */
function fingerprint(sources: readonly Source[]): string {
  const seen = sources.map(({ name, path }) => {
    const { size, mtimeMs } = statSync(path)
    return [name, path, size, mtimeMs]
  })
  return sha256(JSON.stringify(seen)).slice(0, 16)
}

const run = promisify(execFile)

/** The files that a program of this machine has to find to start, its loader among them. */
export async function librariesOf(program: string): Promise<readonly string[]> {
  // It fails for a program that needs none.
  const { stdout } = await run("ldd", [program]).catch(() => ({ stdout: "" }))
  return stdout.split("\n").flatMap((line) => /(?<!\S)(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

/** Which of a program's libraries is the one that loads the others. */
export function isLoader(name: string): boolean {
  return name.startsWith("ld-")
}
