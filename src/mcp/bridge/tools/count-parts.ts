import { isObject } from "../../../contract/index.ts"

/**
 * How many schemas stand in one, when each reference counts as what it leads to: a few lines that
 * refer to each other twice can mean more than anybody can check. Counts no further than `most` + 1.
 */
export function countParts(root: Record<string, unknown>, most: number): number {
  const counted = new Map<object, number>()
  const count = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0
    const known = counted.get(value)
    if (known !== undefined) return known
    // What contains itself adds nothing the second time: values end.
    counted.set(value, 0)
    let parts = 1
    for (const [key, inner] of Object.entries(value)) {
      parts += key === "$ref" ? count(follow(root, inner)) : count(inner)
      if (parts > most) break
    }
    counted.set(value, parts)
    return parts
  }
  return count(root)
}

function follow(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined
  let target: unknown = root
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (!(isObject(target) || Array.isArray(target)) || !Object.hasOwn(target, name))
      return undefined
    target = (target as Record<string, unknown>)[name]
  }
  return target
}
