import type { RouteAnswer } from "../../api/index.ts"
import type { Explanation, PolicyChange } from "../../policy/index.ts"
import type { Session } from "../../session/index.ts"

type Explained = Awaited<ReturnType<Session["explain"]>>

export function describeExplanation(explained: Explained): RouteAnswer<"policy.explain"> {
  const { tool, checked, explanation, change } = explained
  return {
    tool,
    repairs: checked?.ok ? [...checked.repairs] : [],
    ...(checked?.ok && { input: checked.input }),
    ...(checked && !checked.ok && { failure: checked.failure }),
    ...(explanation && { explanation: describe(explanation, change) }),
  }
}

function describe({ verdict, dependsOnArguments, steps }: Explanation, tried: PolicyChange | null) {
  const { kind, rule } = verdict
  return {
    ...{ verdict: kind, rule, depends_on_arguments: dependsOnArguments },
    ...{ change: tried ? triedText(tried) : changeOf(verdict), steps: [...steps] },
  }
}

const thenIt = { allow: "it is allowed", ask: "a person is asked", deny: "it is refused" }

/** `Remove "file.write" from tools.hooks.confirm (toolkeep.yaml, line 4): then it is allowed.` */
function triedText({ text, verdict, file, line }: PolicyChange): string {
  const where = file === undefined || line === undefined ? "" : ` (${file}, line ${line})`
  return `${text}${where}: then ${thenIt[verdict]}.`
}

/** What allows is not changed by anybody who asks why. */
function changeOf({ kind, rule }: Explanation["verdict"]): string | null {
  if (rule.remedy !== undefined) return rule.remedy
  if (kind === "allow") return null
  const file = rule.file ?? "toolkeep.yaml"
  const line = rule.line === undefined ? "" : `Change line ${rule.line} of ${file}`
  if (kind === "deny") return line === "" ? null : `${line}.`
  const always = 'answer the question with "always", for this session'
  return line === "" ? `A person can ${always}.` : `${line}, or ${always}.`
}
