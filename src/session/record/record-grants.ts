import type { Clock } from "../../kit/index.ts"
import { type Grant, type Grants, grantKey } from "../../policy/index.ts"
import type { RecordReader, SessionRecord } from "../../store/index.ts"

/** Those of a recorded session: they outlive the process, and another one may withdraw them. */
export function recordGrants(open: () => Promise<SessionRecord>, clock: Clock): Grants {
  const keyOf = (grant: Grant) => `grant:${grantKey(grant)}`
  return {
    list: async () => readGrants(await open()),
    async add(body) {
      await (await open()).append([{ kind: "grant", at: clock.now(), body, opens: keyOf(body) }])
    },
    async remove(body) {
      const at = clock.now()
      await (await open()).append([{ kind: "grant-withdrawn", at, body, closes: keyOf(body) }])
    },
  }
}

export async function readGrants(reader: RecordReader): Promise<readonly Grant[]> {
  const entries = await reader.unclosed()
  return entries.filter(({ kind }) => kind === "grant").map(({ body }) => body as Grant)
}
