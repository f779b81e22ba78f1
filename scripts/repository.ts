import { readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"

export const repositoryRoot: string = join(import.meta.dirname, "..")

/** The files under `folder` whose names end with `ending`, as paths from the root with "/", sorted. */
export async function repositoryFiles(folder: string, ending: string): Promise<string[]> {
  const top = join(repositoryRoot, folder)
  const entries = await readdir(top, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(repositoryRoot, join(entry.parentPath, entry.name)))
    .map((path) => path.split(sep).join("/"))
    .sort()
}

export function readRepositoryFile(path: string): Promise<string> {
  return readFile(join(repositoryRoot, path), "utf8")
}

/** Path → source of every TypeScript file under src/. */
export async function readSources(): Promise<Map<string, string>> {
  return readAll(await repositoryFiles("src", ".ts"))
}

/** Path → source of every TypeScript file of the console. */
export async function readConsoleSources(): Promise<Map<string, string>> {
  const files = await Promise.all(
    [".ts", ".tsx"].map((ending) => repositoryFiles("console", ending)),
  )
  return readAll(files.flat())
}

/** Path → text of the documents for users and contributors; decisions stay as they were written. */
export async function readDocuments(): Promise<Map<string, string>> {
  const guides = await repositoryFiles("docs", ".md")
  return readAll([
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "THREAT_MODEL.md"],
    ...guides.filter((path) => !path.startsWith("docs/decisions/")),
  ])
}

async function readAll(paths: readonly string[]): Promise<Map<string, string>> {
  const texts = await Promise.all(paths.map(readRepositoryFile))
  return new Map(paths.map((path, index) => [path, texts[index] ?? ""]))
}
