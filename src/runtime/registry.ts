import {
  apiNameOf,
  asTool,
  DefinitionError,
  type Tool,
  type ToolObject,
} from "../contract/index.ts"
import { nearest, publish } from "../kit/index.ts"
import type { Policy } from "../policy/index.ts"

/** Tools whose names start with its key, defined when one of them is looked for (bench row cold-call). */
export type ToolFamilies = Readonly<Record<string, () => readonly Tool[]>>

/** The tools of one runtime, found by their own name or by the name a provider knows. */
export class ToolRegistry {
  /** An object finds a name among 10,000 twice as fast as a Map (bench row registry-find). */
  readonly #tools: Record<string, Tool> = Object.create(null)
  readonly #byApiName = new Map<string, Tool>()
  readonly #undefinedYet: Map<string, () => readonly Tool[]>
  readonly #families: Map<string, readonly Tool[]>
  /** In the order of registration. */
  readonly #registered = new Map<string, Tool>()
  readonly #listeners = new Set<(change: undefined) => void>()
  #policy: Policy | undefined

  constructor(families: ToolFamilies = {}) {
    this.#undefinedYet = new Map(Object.entries(families))
    this.#families = new Map(Object.keys(families).map((family) => [family, []]))
  }

  /** Returns the registered tool. Throws a DefinitionError for a name that is taken, or that a model could not tell apart. */
  register(given: Tool | ToolObject): Tool {
    const tool = asTool(given)
    this.#defineAll()
    this.#add(tool)
    this.#registered.set(tool.name, tool)
    publish(this.#listeners, undefined)
    return tool
  }

  #add(tool: Tool): void {
    const apiName = apiNameOf(tool.name)
    const taken = this.#byApiName.get(apiName)
    if (taken?.name === tool.name) {
      throw new DefinitionError(`There is already a tool ${JSON.stringify(tool.name)}.`)
    }
    if (taken) {
      throw new DefinitionError(
        `${JSON.stringify(tool.name)} and ${JSON.stringify(taken.name)} are both ` +
          `${JSON.stringify(apiName)} to a model; rename one of them.`,
      )
    }
    this.#tools[tool.name] = tool
    this.#byApiName.set(apiName, tool)
  }

  #define(family: string): void {
    const define = this.#undefinedYet.get(family)
    if (!define) return
    this.#undefinedYet.delete(family)
    const tools = define()
    for (const tool of tools) this.#add(tool)
    this.#families.set(family, tools)
  }

  #defineAll(): void {
    for (const family of this.#undefinedYet.keys()) this.#define(family)
  }

  /** Takes back a tool that was registered by itself. */
  unregister(name: string): boolean {
    if (!this.#registered.delete(name)) return false
    delete this.#tools[name]
    this.#byApiName.delete(apiNameOf(name))
    publish(this.#listeners, undefined)
    return true
  }

  /** Hears of every tool that comes or goes; the returned function stops that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get(name: string): Tool | undefined {
    return this.#tools[name] ?? this.#late(name)
  }

  #late(name: string): Tool | undefined {
    if (this.#undefinedYet.size > 0) this.#define(name.split(".", 1)[0] ?? "")
    return this.#tools[name]
  }

  getByApiName(name: string): Tool | undefined {
    this.#defineAll()
    return this.#byApiName.get(name)
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** Families first, and then the others in the order of registration. */
  list(): Tool[] {
    this.#defineAll()
    return [...[...this.#families.values()].flat(), ...this.#registered.values()]
  }

  /** The name that a misspelt one was most likely meant to be. */
  nearest(name: string): string | null {
    return nearest(
      name,
      this.list().map((tool) => tool.name),
    )
  }

  setPolicy(policy: Policy): void {
    this.#policy = policy
  }

  getPolicy(): Policy | undefined {
    return this.#policy
  }
}
