import type { RouteAnswer } from "../../api/index.ts"
import type { Explanation } from "../../policy/index.ts"
import type { Session } from "../../session/index.ts"

type Explained = Awaited<ReturnType<Session["explain"]>>

export function describeExplanation(explained: Explained): RouteAnswer<"policy.explain"> {
  const { tool, checked, explanation } = explained
  return {
    tool,
    repairs: checked?.ok ? [...checked.repairs] : [],
    ...(checked?.ok && { input: checked.input }),
    ...(checked && !checked.ok && { failure: checked.failure }),
    ...(explanation && { explanation: describe(explanation) }),
  }
}

function describe({ verdict, dependsOnArguments, steps }: Explanation) {
  const { kind, rule } = verdict
  return {
    ...{ verdict: kind, rule, depends_on_arguments: dependsOnArguments },
    ...{ change: changeOf(verdict), steps: [...steps] },
  }
}

/** What allows is not changed by anybody who asks why. */
function changeOf({ kind, rule }: Explanation["verdict"]): string | null {
  if (rule.remedy !== undefined) return rule.remedy
  if (kind === "allow") return null
  const line = rule.line === undefined ? "" : `Change line ${rule.line} of toolkeep.yaml`
  if (kind === "deny") return line === "" ? null : `${line}.`
  const always = 'answer the question with "always", for this session'
  return line === "" ? `A person can ${always}.` : `${line}, or ${always}.`
}
