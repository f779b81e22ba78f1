export {
  createDeadline,
  onAbort,
  sleep,
  withAbort,
  withTimeout,
} from "./abort.ts"
export { BoundedBytes } from "./bounded-bytes.ts"
export { canonicalJson } from "./canonical-json.ts"
export { type Clock, systemClock } from "./clock.ts"
export { createId } from "./create-id.ts"
export { errorCode, errorText } from "./errors.ts"
export { groupDigits } from "./group-digits.ts"
export { KeyedLock } from "./keyed-lock.ts"
export { markUnseen, printable, printableJson } from "./mark-unseen.ts"
export { nearest, suggest } from "./nearest.ts"
export { hasText, placesOf, textPlaces, trimEndOf } from "./places-of.ts"
export { publish } from "./publish.ts"
export { quoteArguments } from "./quote-arguments.ts"
export { Secrets } from "./secrets.ts"
