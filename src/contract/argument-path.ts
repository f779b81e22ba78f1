export type ArgumentPath = readonly (string | number)[]

/** A place in the arguments as a person writes it: `edits[2].search`. Hostile keys are cut short. */
export function fieldName(path: ArgumentPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`
      const name = step.length > 60 ? `${step.slice(0, 60)}…` : step
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
    path.push(Array.isArray(current) ? Number(key) : key)
    current = (current as Record<string, unknown> | undefined)?.[key]
  }
  return path
}
