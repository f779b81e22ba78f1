import { computed } from "./ref.ts"
import { resolve } from "./resolve.ts"
import type { Input, Ref } from "./types.ts"

/** A plain function as one of references: it is called with their values whenever one of them changes. */
export function lift<Given extends readonly unknown[], Result>(
  fn: (...given: Given) => Result,
): (...given: { readonly [Key in keyof Given]: Input<Given[Key]> }) => Ref<Result> {
  return (...given) => computed(() => fn(...(given.map(resolve) as unknown as Given)))
}
