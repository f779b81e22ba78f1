import type { RouteAnswer } from "../../api/index.ts"
import type { Session } from "../../session/index.ts"

/** What the policy says of each tool, for any agent (null) and for each of these. */
export async function policyTable(
  session: Session,
  agents: readonly string[],
): Promise<RouteAnswer<"policy.table">> {
  await session.prepare()
  const names = session.allTools().map(({ name }) => name)
  const columns = [null, ...new Set(agents)]
  const cellOf = async (tool: string, agent: string | null) => {
    const { explanation } = await session.explain({ tool, ...(agent !== null && { agent }) })
    if (!explanation) throw new Error("Only an input is refused before the policy is asked.")
    const { verdict, dependsOnArguments } = explanation
    return {
      ...{ agent, verdict: verdict.kind, rule: verdict.rule },
      depends_on_arguments: dependsOnArguments,
    }
  }
  const tools = await Promise.all(
    names.toSorted().map(async (tool) => ({
      tool,
      cells: await Promise.all(columns.map((agent) => cellOf(tool, agent))),
    })),
  )
  return { agents: columns.filter((agent) => agent !== null), tools }
}
