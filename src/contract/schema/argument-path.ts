export type ArgumentPath = readonly (string | number)[]

/** More steps than this, or more characters in a key, are cut out of a name: hostile input is deep and long. */
const mostSteps = 12
const longestKey = 60

/** A place in the arguments as a person writes it: `edits[2].search`. */
export function fieldName(path: ArgumentPath): string {
  if (path.length <= mostSteps) return joinSteps(path)
  return `${joinSteps(path.slice(0, mostSteps / 2))}…${joinSteps(["", ...path.slice(-mostSteps / 2)])}`
}

function joinSteps(path: ArgumentPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      const name = step.length > longestKey ? `${step.slice(0, longestKey)}…` : step
      return index === 0 ? name : `.${name}`
    })
    .join("")
}

/** Ajv's JSON Pointer, told apart into keys and positions by the value itself. */
export function pathFromPointer(pointer: string, value: unknown): ArgumentPath {
  const path: (string | number)[] = []
  let current = value
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    path.push(Array.isArray(current) && /^\d+$/.test(key) ? Number(key) : key)
    current = (current as Record<string, unknown> | undefined)?.[key]
  }
  return path
}
