import { posix } from "node:path"
import type { ChangedFile, FileEffects, Listed, Unknown, Workspace } from "../../contract/index.ts"
import { effectsLimits } from "../limits.ts"
import { type FoundText, secret, textFrom } from "./file-text.ts"

/** What a tool itself has read of files before it changed anything: what was in them before the call. */
export class ReadFiles {
  /** By their absolute paths. */
  readonly #texts = new Map<string, FoundText>()
  #characters = 0
  #isOver = false

  /** The same workspace, whose reads are seen. */
  watched(workspace: Workspace): Workspace {
    const change = <Given extends readonly unknown[], Result>(run: (...given: Given) => Result) => {
      return (...given: Given) => {
        this.#isOver = true
        return run(...given)
      }
    }
    const { processes } = workspace
    return {
      ...workspace,
      exec: change(workspace.exec),
      runCode: change(workspace.runCode),
      writeFile: change(workspace.writeFile),
      mkdir: change(workspace.mkdir),
      remove: change(workspace.remove),
      rename: change(workspace.rename),
      copy: change(workspace.copy),
      importTree: change(workspace.importTree),
      openTerminal: change(workspace.openTerminal),
      connect: change(workspace.connect),
      processes: { ...processes, start: change(processes.start), write: change(processes.write) },
      readFileBuffer: async (path, options = {}) => {
        const bytes = await workspace.readFileBuffer(path, options)
        const { offset = 0, length = Number.POSITIVE_INFINITY } = options
        // Only of a whole file is known that there is no more.
        if (offset === 0 && bytes.length < length)
          this.#add(posix.resolve(workspace.cwd, path), bytes)
        return bytes
      },
    }
  }

  /** The same effects, with what was read in the place of what nobody else had. */
  complete(files: FileEffects | Unknown): FileEffects | Unknown {
    if ("unknown" in files || this.#texts.size === 0) return files
    const { below, changed, removed } = files
    const known = (file: ChangedFile): ChangedFile => {
      const read = this.#texts.get(posix.join(below, file.path))
      const { before } = file
      const isMissing = before !== undefined && "unknown" in before && before !== secret
      // A file whose mode says that it holds secrets has no text after the call either.
      const isOpen = file.after === undefined || "text" in file.after
      return read && isMissing && isOpen ? { ...file, before: read } : file
    }
    const all = ({ count, first }: Listed<ChangedFile>) => ({ count, first: first.map(known) })
    return { ...files, changed: all(changed), removed: all(removed) }
  }

  #add(path: string, bytes: Uint8Array): void {
    const isFull = this.#characters + bytes.length > effectsLimits.callCharacters
    if (this.#isOver || isFull || bytes.length > effectsLimits.fileBytes) return
    if (this.#texts.has(path)) return
    this.#characters += bytes.length
    this.#texts.set(path, textFrom(bytes, path, 0o644))
  }
}

/** No more text than a call may have: what is beyond is not known. */
export function limitTexts(files: FileEffects | Unknown): FileEffects | Unknown {
  if ("unknown" in files) return files
  const { created, changed, removed } = files
  if (created.count + changed.count + removed.count === 0) return files
  let room: number = effectsLimits.callCharacters
  const limited = (found: FoundText): FoundText => {
    if (!("text" in found)) return found
    if (found.text.length > room) return tooMuchText
    room -= found.text.length
    return found
  }
  const all = ({ count, first }: Listed<ChangedFile>) => {
    return {
      count,
      first: first.map(({ before, after, ...file }) => ({
        ...file,
        ...(before && { before: limited(before) }),
        ...(after && { after: limited(after) }),
      })),
    }
  }
  return { ...files, changed: all(changed), created: all(created), removed: all(removed) }
}

const tooMuchText: Unknown = {
  unknown: `the files of the call have more than ${effectsLimits.callCharacters} characters`,
}
