import { isObject } from "../schema/json.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import {
  itemNode,
  partNodes,
  propertyNode,
  tupleLength,
  unionNodes,
} from "../schema/schema-places.ts"
import { childSchemas, type Pointer, type SchemaNode } from "../schema/schema-walk.ts"
import { defaultOf } from "../validate/instrument-schema.ts"

/** Gives a valid value its declared defaults, copying only what changes. */
type Fill = (value: unknown) => unknown
type FitsAt = (pointer: Pointer, value: unknown) => boolean

/** `fitsAt` says which branch of a union a value belongs to. */
export function defaultsFiller(root: JsonSchema, fitsAt: FitsAt): Fill {
  return new FillCompiler(root, fitsAt).compile({ schema: root, pointer: [] }) ?? ((value) => value)
}

class FillCompiler {
  readonly #root: JsonSchema
  readonly #fitsAt: FitsAt
  /** Schemas refer to each other in circles, so a slot is there before its function is. */
  readonly #slots = new Map<JsonSchema, { fill: Fill }>()

  constructor(root: JsonSchema, fitsAt: FitsAt) {
    this.#root = root
    this.#fitsAt = fitsAt
  }

  /** Null where no value of the schema ever gets a default. */
  compile(node: SchemaNode | null): Fill | null {
    if (!node || !isObject(node.schema) || !this.#leadsToDefault(node, new Set())) return null
    const known = this.#slots.get(node.schema)
    if (known) return (value) => known.fill(value)
    const slot: { fill: Fill } = { fill: (value) => value }
    this.#slots.set(node.schema, slot)
    const parts = partNodes(node, this.#root).map((part) => this.compile(part))
    const unions = unionNodes(node).map((branches) => this.#union(branches))
    slot.fill = inTurn([
      this.#properties(node),
      this.#map(node),
      this.#items(node),
      ...parts,
      ...unions,
    ])
    return slot.fill
  }

  #leadsToDefault(node: SchemaNode, seen: Set<JsonSchema>): boolean {
    if (seen.has(node.schema)) return false
    seen.add(node.schema)
    const properties = Object.values(node.schema.properties ?? {})
    if (properties.some((part) => defaultOf(part, this.#root) !== undefined)) return true
    const next = [...childSchemas(node), ...partNodes(node, this.#root)]
    return next.some((child) => isObject(child.schema) && this.#leadsToDefault(child, seen))
  }

  #properties(node: SchemaNode): Fill | null {
    const names = Object.keys(node.schema.properties ?? {})
    const properties = names
      .map((name) => ({
        name,
        filling: defaultOf(node.schema.properties?.[name] ?? {}, this.#root),
        fill: this.compile(propertyNode(node, name)),
      }))
      .filter(({ filling, fill }) => filling !== undefined || fill !== null)
    if (properties.length === 0) return null
    return (value) => (isObject(value) ? fillProperties(value, properties) : value)
  }

  #map(node: SchemaNode): Fill | null {
    const { properties = {}, patternProperties = {}, additionalProperties } = node.schema
    const parts = [...Object.values(Object(patternProperties)), additionalProperties]
    const isUseful = parts.some((part) => this.compile({ schema: part as JsonSchema, pointer: [] }))
    if (!isUseful) return null
    return (value) => {
      if (!isObject(value)) return value
      const entries = Object.entries(value).map(([key, part]) => {
        const fill = Object.hasOwn(properties, key) ? null : this.compile(propertyNode(node, key))
        return [key, fill ? fill(part) : part]
      })
      return Object.fromEntries(entries)
    }
  }

  #items(node: SchemaNode): Fill | null {
    const length = tupleLength(node.schema)
    const tuple = Array.from({ length }, (_, index) => this.compile(itemNode(node, index)))
    const rest = this.compile(itemNode(node, length))
    if (!rest && tuple.every((fill) => fill === null)) return null
    return (value) => {
      if (!Array.isArray(value)) return value
      let copy: unknown[] | null = null
      for (let index = 0; index < value.length; index += 1) {
        const fill = index < length ? tuple[index] : rest
        const filled = fill ? fill(value[index]) : value[index]
        if (filled === value[index]) continue
        copy ??= [...value]
        copy[index] = filled
      }
      return copy ?? value
    }
  }

  #union(branches: readonly SchemaNode[]): Fill | null {
    const fills = branches.map((branch) => ({ branch, fill: this.compile(branch) }))
    if (fills.every(({ fill }) => fill === null)) return null
    return (value) => {
      const fitting = fills.find(({ branch }) => this.#fitsAt(branch.pointer, value))
      return fitting?.fill ? fitting.fill(value) : value
    }
  }
}

interface PropertyFill {
  readonly name: string
  /** The default; undefined where there is none. */
  readonly filling: unknown
  readonly fill: Fill | null
}

function fillProperties(
  value: Record<string, unknown>,
  properties: readonly PropertyFill[],
): unknown {
  let copy: Record<string, unknown> | null = null
  for (const { name, filling, fill } of properties) {
    const present = ownValue(value, name)
    // An undefined key is an absent one, as in JSON.
    const known = present === undefined ? fresh(filling) : present
    const filled = fill && known !== undefined ? fill(known) : known
    if (filled === present) continue
    copy ??= { ...value }
    copy[name] = filled
  }
  return copy ?? value
}

function ownValue(value: Record<string, unknown>, name: string): unknown {
  const present = value[name]
  if (present === undefined || !(name in Object.prototype)) return present
  return Object.hasOwn(value, name) ? present : undefined
}

/** Each call gets its own copy, which it may change. */
function fresh(filling: unknown): unknown {
  return typeof filling === "object" ? structuredClone(filling) : filling
}

function inTurn(fills: readonly (Fill | null)[]): Fill {
  const useful = fills.filter((fill) => fill !== null)
  const [only] = useful
  if (only && useful.length === 1) return only
  return (value) => useful.reduce((filled, fill) => fill(filled), value)
}
