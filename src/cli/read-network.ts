import type { Network } from "../contract/index.ts"
import { Misuse } from "./misuse.ts"

/** `--network`: none, full, or the domains that may be reached. */
export function readNetwork(given: string | undefined): Network | undefined {
  if (given === undefined) return undefined
  if (given === "none" || given === "full") return { kind: given }
  const domains = given.split(",").map((domain) => domain.trim())
  if (domains.every((domain) => domain.includes("."))) return { kind: "allow-list", domains }
  throw new Misuse(
    "--network takes none, full, or domains, such as --network example.com,example.org.",
  )
}
