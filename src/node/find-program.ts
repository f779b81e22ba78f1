import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The first executable file of that name in a list of directories such as PATH; null when there is none. */
export function findProgram(name: string, path: string): string | null {
  const candidates = path.split(delimiter).map((directory) => join(directory, name))
  return candidates.find(isProgram) ?? null
}

/** Whether the path is an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
