import { type JsonSchema, object } from "../../../contract/index.ts"

/** A message of E2B's services. Fields that are not known are ignored, as in every protocol buffer. */
export function message<const Fields extends Readonly<Record<string, JsonSchema>>>(fields: Fields) {
  const { additionalProperties: _, ...open } = object(fields)
  return open
}
