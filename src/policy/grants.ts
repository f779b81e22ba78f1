/** What a person allows once and for all, in one session. */
export interface Grant {
  readonly tool: string
  /** The text of the rule that asked. */
  readonly rule: string
  /** The sandbox that it was asked for; null for a tool that needs none. */
  readonly sandbox: string | null
}

/** The grants of a session. */
export interface Grants {
  list(): Promise<readonly Grant[]>
  add(grant: Grant): Promise<void>
  /** Withdraws it: the next call asks again. */
  remove(grant: Grant): Promise<void>
}

/** Equal grants have equal keys. */
export function grantKey({ tool, rule, sandbox }: Grant): string {
  return JSON.stringify([tool, rule, sandbox])
}

/** Those of a session that is not recorded, which end with it. */
export function createGrants(): Grants {
  const grants = new Map<string, Grant>()
  return {
    list: async () => [...grants.values()],
    add: async (grant) => void grants.set(grantKey(grant), grant),
    remove: async (grant) => void grants.delete(grantKey(grant)),
  }
}
