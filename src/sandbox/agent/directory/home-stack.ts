import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { createId } from "../../../kit/index.ts"
import { makeDirectories } from "../../../node/index.ts"

/**
 * The directories of a sandbox's home: one that the sandbox writes, over others that nobody writes
 * any more, the topmost first. Without snapshots there are none of those.
 */
export interface HomeStack {
  readonly writable: string
  readonly layers: readonly string[]
}

/** The home as a directory of this machine. With layers it is a mount that only processes inside have. */
export function watchedHome(stack: () => HomeStack) {
  return (first: number | null): string | null => {
    const { writable, layers } = stack()
    if (layers.length === 0) return writable
    return first === null ? null : `/proc/${first}/root/home/user`
  }
}

/** The owner of a directory, and which users may use it. */
export interface Ownership {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

const defaultHome = "home"

/** In a sandbox's directory: lists the directories of its home. Absent while there is only one. */
const stackFile = "stack"

/** The name of the directory of a persisted sandbox. */
export function keptDirectory(keptAs: string): string {
  return `kept_${keptAs}`
}

export function layerPath(shared: string, layer: string): string {
  return join(shared, "layers", layer)
}

const treePrefix = "tree_"

/** A new name for a layer that holds all files of a home, and shares those that did not change with other layers. */
export function treeName(): string {
  return createId(treePrefix.slice(0, -1))
}

export function isTree(layer: string): boolean {
  return layer.startsWith(treePrefix)
}

export function defaultWritable(own: string): string {
  return join(own, defaultHome)
}

export function hasHome(own: string): boolean {
  return existsSync(defaultWritable(own)) || existsSync(join(own, stackFile))
}

/** The names of the layers that a sandbox's directory holds on to. */
export function layersOf(own: string): readonly string[] {
  return readStack(own).layers
}

/**
 * Puts right what a process that was killed has left half done: a layer is written down before the
 * writable directory becomes it, and the next writable directory is made after that.
 */
export function openStack(shared: string, own: string): HomeStack {
  let { writable, layers } = readStack(own)
  const [top, ...below] = layers
  if (top !== undefined && !existsSync(layerPath(shared, top))) {
    layers = below
    writeStack(own, { writable: join(own, writable), layers })
  }
  const stack = {
    writable: join(own, writable),
    layers: layers.map((layer) => layerPath(shared, layer)),
  }
  const [uppermost] = stack.layers
  if (uppermost !== undefined && !existsSync(stack.writable)) {
    makeDirectory(stack.writable, statSync(uppermost))
  }
  return stack
}

/** Whole or not at all. */
export function writeStack(own: string, { writable, layers }: HomeStack): void {
  const file = join(own, stackFile)
  const names = { writable: basename(writable), layers: layers.map((layer) => basename(layer)) }
  writeFileSync(`${file}.new`, JSON.stringify(names), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The directory exists only once it has its owner and its mode. */
export function makeDirectory(path: string, { uid, gid, mode }: Ownership): void {
  const unfinished = `${path}.new`
  makeDirectories(unfinished, 0o700)
  if (process.getuid?.() === 0) chownSync(unfinished, uid, gid)
  chmodSync(unfinished, mode & 0o7777)
  renameSync(unfinished, path)
}

function readStack(own: string): HomeStack {
  const file = join(own, stackFile)
  try {
    return JSON.parse(readFileSync(file, "utf8")) as HomeStack
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && isAbsent(error.code)
    if (isMissing) return { writable: defaultHome, layers: [] }
    throw error
  }
}

function isAbsent(code: unknown): boolean {
  return code === "ENOENT" || code === "ENOTDIR"
}
