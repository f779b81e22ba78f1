/** What a call answers that a server ends because it stops. */
export const serverStops =
  "The server was stopped before the call was done. Call again when it is back."
