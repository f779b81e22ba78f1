import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createId } from "../../kit/index.ts"
import { makeDirectories } from "../../node/index.ts"
import { closeToWriters } from "../owners/shared-directory.ts"

/** Makes a directory whole or not at all: another process may be about to use it, or to make it too. */
export function placeWhole(target: string, fill: (directory: string) => void): void {
  const temporary = `${target}.${createId("new")}`
  makeDirectories(temporary, 0o755)
  try {
    fill(temporary)
    closeToWriters(temporary)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

/** Writes a file whole or not at all; one with the same content stays. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o644): void {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(content))) return
  const temporary = `${path}.${createId("new")}`
  writeFileSync(temporary, content, { mode, flag: "wx" })
  renameSync(temporary, path)
}

/** A second name costs nothing; where there can be none, or others may not read it, a copy. */
export function putFile(source: string, target: string): void {
  const forOthers = 0o005
  try {
    if ((statSync(source).mode & forOthers) !== forOthers) throw new Error("Others can't use it.")
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
    chmodSync(target, 0o755)
  }
}
