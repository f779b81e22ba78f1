import type * as Yaml from "yaml"
import { DefinitionError, isObject } from "../contract/index.ts"
import { type Origin, pointerTo, quote } from "./config-path.ts"
import { configLimits } from "./limits.ts"

/** The mapping in a YAML file, and the line of each value. */
interface YamlFile {
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
  const { fileCharacters } = configLimits
  if (text.length > fileCharacters) {
    throw new DefinitionError(`${fileName}: the file has more than ${fileCharacters} characters.`)
  }
  // Loaded on demand: its Node build needs Node, and most programs never parse YAML.
  const yaml = await import("yaml")
  const { value, origin } = readYaml(yaml, text, fileName)
  if (value !== null && !isObject(value)) {
    throw new DefinitionError(
      `${fileName}, line 1: the file must hold a mapping, such as "${example}".`,
    )
  }
  return { value: value ?? {}, origin }
}

type Path = readonly (string | number)[]

/** Deeper than any configuration. */
const deepest = 16

/** Replacements for messages of the parser that only a programmer understands. */
const betterWords: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "a second document starts here; keep one.",
  TAG_RESOLVE_FAILED: "a tag (!) means something else than it seems to; put the value in quotes.",
  RESOURCE_EXHAUSTION: "the values are nested too deeply.",
}

/**
 * Reads the subset of YAML that a configuration needs and refuses the rest, with its line: an alias can grow into
 * gigabytes, and a tag or a key that is not text is rarely what the author meant.
 */
function readYaml(yaml: typeof Yaml, text: string, file: string) {
  const counter = new yaml.LineCounter()
  const document = yaml.parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    schema: "core",
    merge: false,
    // The parser's own check is quadratic; the reader uses a map instead.
    uniqueKeys: false,
  })
  const reader = new Reader(yaml, file, counter)
  const [mistake] = [...document.errors, ...document.warnings]
  if (mistake) {
    const words = betterWords[mistake.code] ?? oneSentence(mistake.message)
    reader.fail(mistake.pos[0], `the YAML can't be read: ${words}`)
  }
  const value = reader.read(document.contents, [])
  return { value, origin: { file, lines: reader.lines } }
}

class Reader {
  readonly lines = new Map<string, number>()
  readonly #yaml: typeof Yaml
  readonly #file: string
  readonly #counter: Yaml.LineCounter

  constructor(yaml: typeof Yaml, file: string, counter: Yaml.LineCounter) {
    this.#yaml = yaml
    this.#file = file
    this.#counter = counter
  }

  fail(offset: number, problem: string): never {
    throw new DefinitionError(`${this.#file}, line ${this.#lineAt(offset)}: ${problem}`)
  }

  read(node: unknown, path: Path): unknown {
    if (!this.#yaml.isNode(node)) return null
    const offset = node.range?.[0] ?? 0
    const pointer = pointerTo(path)
    // The line of a key is already set, and is where a person looks.
    if (!this.lines.has(pointer)) this.lines.set(pointer, this.#lineAt(offset))
    if (path.length > deepest) this.fail(offset, "the values are nested too deeply.")
    if (this.#yaml.isAlias(node)) {
      this.fail(offset, "an alias (*) repeats another part; write it out, or put it in quotes.")
    }
    if (this.#yaml.isSeq(node)) {
      return node.items.map((item, index) => this.read(item, [...path, index]))
    }
    return this.#yaml.isMap(node) ? this.#readMap(node, path) : node.value
  }

  #readMap(map: Yaml.YAMLMap, path: Path): Record<string, unknown> {
    const entries = new Map<string, unknown>()
    for (const { key, value } of map.items) {
      const offset = (this.#yaml.isNode(key) ? key.range?.[0] : map.range?.[0]) ?? 0
      const name = this.#yaml.isScalar(key) ? key.value : undefined
      if (typeof name !== "string") this.fail(offset, "a key must be text; put it in quotes.")
      if (name === "__proto__") this.fail(offset, `${quote(name)} can't be a name here.`)
      if (entries.has(name)) this.fail(offset, `the key ${quote(name)} stands here twice.`)
      this.lines.set(pointerTo([...path, name]), this.#lineAt(offset))
      entries.set(name, this.read(value, [...path, name]))
    }
    return Object.fromEntries(entries)
  }

  #lineAt(offset: number): number {
    return this.#counter.linePos(offset).line
  }
}

function oneSentence(message: string): string {
  const line = message.split("\n")[0] ?? ""
  return /[.?!]$/.test(line) ? line : `${line}.`
}
