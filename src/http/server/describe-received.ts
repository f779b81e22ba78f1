import { loadResults } from "../../mcp/index.ts"
import type { FoundCall, Session } from "../../session/index.ts"

/** What an MCP client got of a call: made again from the envelope, as it was made for the client. */
export async function describeReceived({ call, end }: FoundCall, session: Session) {
  const how = call.answer_form
  if (!how || !end) return null
  if (how.dialect !== (session.dialect ?? undefined)) {
    const now = session.dialect === null ? "no dialect" : `the dialect ${session.dialect}`
    return { ...how, unknown: `The session has ${now} now.` }
  }
  const { callResult } = await loadResults()
  const result = await callResult(end.envelope, { session, results: how.form })
  return { ...how, result: { ...result, content: result.content.map(withoutData) } }
}

type Block = Awaited<
  ReturnType<Awaited<ReturnType<typeof loadResults>>["callResult"]>
>["content"][number]

/** Pictures and sounds are artifacts of the session already. */
function withoutData(block: Block) {
  if (block.type !== "image" && block.type !== "audio") return block
  const { data, ...rest } = block
  return { ...rest, bytes: Math.floor((data.length * 3) / 4) }
}
