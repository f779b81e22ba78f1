import { constants as bufferConstants } from "node:buffer"
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { errorCode, errorText } from "../../kit/index.ts"
import { describeOwner, isDead, makeDirectories, ownerOf, replaceFile } from "../../node/index.ts"
import { isPlainObject } from "../graph/resolve.ts"
import type { KeptRun } from "../steps/runs.ts"

const storeVersion = 1

/** What a store has of a pattern that runs. */
export interface StoredState {
  /** Names its sandboxes. */
  readonly id: string
  /** By what the pattern is known again. */
  readonly of: PatternShape
  /** The inputs as the program gave them, and as they are now. */
  readonly given: Readonly<Record<string, unknown>>
  readonly inputs: Readonly<Record<string, unknown>>
  /** By their places in the body. */
  readonly writables: Readonly<Record<string, unknown>>
  readonly results: Readonly<Record<string, KeptRun>>
}

/** What tells patterns apart: their code may change between two runs with the same store. */
export interface PatternShape {
  /** Null where it is computed, or absent. */
  readonly name: string | null
  readonly inputs: readonly string[]
  /** The places of its steps and writables. */
  readonly parts: readonly string[]
}

/** The file of one run: nobody else writes it meanwhile. */
export class Store {
  readonly state: StoredState | null
  readonly #file: string
  #next: (() => StoredState) | null = null
  #writing: Promise<void> | null = null

  private constructor(file: string, state: StoredState | null) {
    this.#file = file
    this.state = state
  }

  /** Throws one sentence where the file can't be used, and leaves it as it is. */
  static open(file: string): Store {
    claim(file)
    try {
      return new Store(file, readState(file))
    } catch (error) {
      release(file)
      throw error
    }
  }

  /** Throws where what it has is another pattern's: the run would write over it. */
  requireSamePattern(shape: PatternShape): void {
    if (!this.state || !isOther(this.state.of, shape)) return
    const { name } = this.state.of
    const whose = name === null ? "another pattern" : `the pattern ${JSON.stringify(name)}`
    throw new Error(`The store ${JSON.stringify(this.#file)} is of ${whose}: name another file.`)
  }

  /** Writes the last state; one write at a time, and those that were overtaken are left out. */
  write(state: () => StoredState): void {
    this.#next = state
    this.#writing ??= this.#work()
  }

  async close(): Promise<void> {
    await this.#writing
    release(this.#file)
  }

  async #work(): Promise<void> {
    // What changes in the same moment is written once.
    await Promise.resolve()
    try {
      while (this.#next) {
        const state = this.#next()
        this.#next = null
        await replaceFile(this.#file, JSON.stringify({ version: storeVersion, state }))
      }
    } catch (error) {
      this.#next = null
      const message = `The store ${JSON.stringify(this.#file)} can't be written: ${errorText(error)}`
      process.emitWarning(message, "ToolkeepWarning")
    } finally {
      this.#writing = null
    }
  }
}

function readState(file: string): StoredState | null {
  const shown = JSON.stringify(file)
  let stored: unknown
  try {
    stored = JSON.parse(readText(file))
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null
    throw new Error(`The store ${shown} can't be read: ${errorText(error)}`, { cause: error })
  }
  const { version, state } = Object(stored)
  if (version === storeVersion && isState(state)) return state
  throw new Error(
    typeof version === "number" && version > storeVersion
      ? `The store ${shown} was written by a newer Toolkeep (its version is ${version}, this one reads ${storeVersion}): update Toolkeep, or name another file.`
      : `The store ${shown} is not one of a pattern, or is damaged: name another file.`,
  )
}

/** Nothing is waited for, as the other side of a pipe, and nothing is read that has no end. */
function readText(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error("it is not a file.")
    if (stats.size > bufferConstants.MAX_STRING_LENGTH) throw new Error("it is too large.")
    return readFileSync(descriptor, "utf8")
  } finally {
    closeSync(descriptor)
  }
}

function isState(state: unknown): state is StoredState {
  if (!isPlainObject(state) || !isPlainObject(state.of)) return false
  const { id, of, given, inputs, writables, results } = state
  return (
    typeof id === "string" &&
    [of.inputs, of.parts].every(Array.isArray) &&
    [given, inputs, writables, results].every(isPlainObject)
  )
}

/** A title may be edited, and so may the parts: both together are another pattern. */
function isOther(stored: PatternShape, now: PatternShape): boolean {
  if (stored.name !== null && now.name !== null) {
    const isSameBody = isSameList(stored.inputs, now.inputs) && isSameList(stored.parts, now.parts)
    return stored.name !== now.name && !isSameBody
  }
  const isKnown = (name: string) => now.inputs.includes(name)
  return stored.inputs.length > 0 && now.inputs.length > 0 && !stored.inputs.some(isKnown)
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify([...one].sort()) === JSON.stringify([...other].sort())
}

const ownerFile = (file: string) => `${file}.owner`

/** Says that this run has the file; what a process that died has said does not count. */
function claim(file: string): void {
  const own = { flag: "wx", mode: 0o600 } as const
  try {
    makeDirectories(dirname(file), 0o700)
    writeFileSync(ownerFile(file), ownerOf(process.pid), own)
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw unusable(file, error)
    const owner = readOwner(file)
    if (!isDead(owner)) {
      throw new Error(
        `The store ${JSON.stringify(file)} is in use by a pattern that runs (${describeOwner(owner).name}): end that one first, or name another file.`,
      )
    }
    release(file)
    writeFileSync(ownerFile(file), ownerOf(process.pid), own)
  }
}

function readOwner(file: string): string {
  try {
    return readText(ownerFile(file))
  } catch (error) {
    throw unusable(file, error)
  }
}

function unusable(file: string, cause: unknown): Error {
  return new Error(`The store ${JSON.stringify(file)} can't be used: ${errorText(cause)}`, {
    cause,
  })
}

function release(file: string): void {
  rmSync(ownerFile(file), { force: true })
}
