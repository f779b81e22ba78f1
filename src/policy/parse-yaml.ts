import { DefinitionError, isObject, limits } from "../contract/index.ts"
import type { Origin } from "./place.ts"
import { readYaml } from "./read-yaml.ts"

/** A file that people write: its mapping, and the line of each value for those who have to mend it. */
export interface YamlFile {
  readonly value: Readonly<Record<string, unknown>>
  readonly origin: Origin
}

/**
 * Reads a mapping from YAML. Every mistake in it is a DefinitionError of one sentence that names the
 * file and the line; `example` is how such a file starts.
 */
export async function parseYaml(
  text: string,
  fileName: string,
  example: string,
): Promise<YamlFile> {
  const { fileCharacters } = limits.policy
  if (text.length > fileCharacters) {
    throw new DefinitionError(`${fileName}: the file has more than ${fileCharacters} characters.`)
  }
  // Loaded here because its Node build reaches for Node, and most programs never come here.
  const yaml = await import("yaml")
  const { value, origin } = withoutOverflow(fileName, () => readYaml(yaml, text, fileName))
  if (value !== null && !isObject(value)) {
    throw new DefinitionError(
      `${fileName}, line 1: the file must hold a mapping, such as "${example}".`,
    )
  }
  return { value: value ?? {}, origin }
}

/** What is nested so deeply that nothing can walk through it is the file's mistake. */
export function withoutOverflow<Result>(fileName: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new DefinitionError(`${fileName}: the file is nested too deeply.`, { cause: error })
  }
}
