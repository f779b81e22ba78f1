/** For every tool that is told what its bytes are. */
export const mimeTypeArgument = {
  type: "string",
  minLength: 3,
  maxLength: 200,
  pattern: "^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+( *;.*)?$",
} as const
