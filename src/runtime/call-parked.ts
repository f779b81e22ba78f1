/** Thrown where a call waits for a person who answers later, perhaps to another process. */
export class CallParked extends Error {
  override readonly name = "CallParked"

  constructor() {
    super("The call waits for a person's answer.")
  }
}
