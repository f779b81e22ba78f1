import { Misuse } from "./misuse.ts"

/** `--port`; undefined when it was not given. */
export function readPort(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const port = Number(given)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new Misuse("--port takes a number from 0, for any free one, to 65535, such as --port 7701.")
}
