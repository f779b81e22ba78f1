/** For every tool that is told what its bytes are. */
export const mimeTypeArgument = {
  type: "string",
  minLength: 3,
  maxLength: 200,
  // Bounded, so that a megabyte is refused at once.
  pattern: "^[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}( {0,9};.{0,200})?$",
} as const
