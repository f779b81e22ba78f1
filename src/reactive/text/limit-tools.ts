import { apiNameOf, type Tool } from "../../contract/index.ts"
import type { Session } from "../../session/index.ts"

type ToolsQuery = Parameters<Session["tools"]>[0]

interface Named {
  readonly name?: string
  readonly function?: { readonly name: string }
}

/** The same session for a model that should see only these tools, and can call no other. */
export function limitTools(session: Session, tools: readonly Tool[]): Session {
  const names = new Set(tools.flatMap(({ name }) => [name, apiNameOf(name)]))
  const isGiven = ({ name, function: called }: Named) => names.has(called?.name ?? name ?? "")
  const shown = (asked: ToolsQuery) => {
    // Also where there are so many that a model would have to search for them.
    const all: readonly Named[] = session.tools({ ...asked, all: true })
    return all.filter(isGiven)
  }
  return {
    ...session,
    // Each form is a list whose entries have their names at one of two places.
    tools: shown as unknown as Session["tools"],
    start(tool, input, options) {
      if (names.has(tool)) return session.start(tool, input, options)
      const message = `There is no tool ${JSON.stringify(tool)}.`
      return session.start(tool, input, {
        ...options,
        refusal: { kind: "tool_not_found", message },
      })
    },
  }
}
