import type { Session } from "../../session/index.ts"
import type { SessionRecord } from "../../store/index.ts"
import type { Terminal } from "../output/terminal.ts"

/** `--json`: each new entry of the record as a line, as it is written. The returned function waits for the last of them. */
export function printEntries(
  session: Pick<Session, "events">,
  { after, record, terminal }: { after: number; record: SessionRecord; terminal: Terminal },
): () => Promise<void> {
  const ending = new AbortController()
  let printed = after
  let last = Number.POSITIVE_INFINITY
  const print = async () => {
    for await (const entry of session.events({ after, signal: ending.signal })) {
      await terminal.printJson(entry, 0)
      printed = entry.sequence
      if (printed >= last) return
    }
  }
  const printing = print()
  return async () => {
    last = (await record.session())?.head ?? 0
    if (printed >= last) ending.abort()
    await printing
  }
}
