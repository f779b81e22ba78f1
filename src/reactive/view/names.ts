/** The name of a pattern: a text, or a reference to one. */
export const NAME: unique symbol = Symbol.for("toolkeep.reactive.name")

/** What a page shows of a pattern: JSX. */
export const UI: unique symbol = Symbol.for("toolkeep.reactive.ui")
