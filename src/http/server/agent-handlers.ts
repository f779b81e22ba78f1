import type { AgentRoute } from "../../api/index.ts"
import { createPastFiles } from "../agent/past-files.ts"
import { type ApiDeps, type Handlers, knownSession } from "./handler.ts"
import { sandboxHandlers } from "./sandbox-handlers.ts"

export function agentHandlers(deps: ApiDeps): Handlers<AgentRoute> {
  const { runs, store } = deps
  const past = createPastFiles(deps)
  const files = sandboxHandlers(deps)
  return {
    "runs.model": () => runs.model(),
    "runs.show": async ({ session }) => runs.show(session, await store.read(session)),
    async "runs.start"({ session, text = null }) {
      const opened = text === null ? await knownSession(deps, session) : deps.sessions.open(session)
      return { started: (await runs.start(opened, text)) === "started" }
    },
    "runs.abort": async ({ session }) => ({ aborted: runs.abort(session) }),
    "checkpoints.show": ({ session, entry }) => past.show(session, entry),
    async "checkpoints.list"({ session, entry, sandbox, path }, context) {
      const name = await past.open(session, entry)
      return files["files.list"]({ session: name, sandbox, path }, context)
    },
    async "checkpoints.read"({ session, entry, ...file }, context) {
      return files["files.read"]({ session: await past.open(session, entry), ...file }, context)
    },
  }
}
