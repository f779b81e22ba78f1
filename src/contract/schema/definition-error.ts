/** A tool, a policy or a host that is defined wrongly: a mistake of its author, told to its author. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError"
}
