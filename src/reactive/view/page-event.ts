import { isPlainObject } from "../graph/resolve.ts"

/** What a page calls the text of a field without a name. */
const nameless = ""

/** An event as a handler reads it: the text of a field without a name is whichever field it reads. */
export function eventOf(sent: unknown): unknown {
  if (!isPlainObject(sent) || !Object.hasOwn(sent, nameless)) return sent
  const { [nameless]: text, ...named } = sent
  return new Proxy(named, {
    get: (fields, name) =>
      typeof name === "string" && !(name in fields) ? text : Reflect.get(fields, name),
  })
}
