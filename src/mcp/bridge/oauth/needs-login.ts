/** A server wants somebody to log in, or to log in again. */
export class NeedsLogin extends Error {
  override readonly name = "NeedsLogin"
}
