/** Which element a call is for. */
export const refArgument = {
  type: "string",
  pattern: "^(f[0-9]{1,6})?e[0-9]{1,9}$",
  description: 'The element, by its ref in the newest snapshot, such as "e12" or "f1e3".',
} as const
