import type { SessionRoute } from "../../api/index.ts"
import {
  deleteSession,
  findCall,
  noSuchSession,
  readChanges,
  readOutput,
} from "../../session/index.ts"
import type { RecordedSession, RecordReader } from "../../store/index.ts"
import { withModelText } from "../agent/model-text.ts"
import { onChange } from "../events/on-change.ts"
import type { ServerEvent } from "../events/server-event.ts"
import { describeExplanation } from "../policy/describe-explanation.ts"
import { policyTable } from "../policy/policy-table.ts"
import { changesOf, describeChanges } from "./describe-changes.ts"
import { describeReceived } from "./describe-received.ts"
import { describeEntry, describeSessions } from "./describe-session.ts"
import { type ApiDeps, type Handlers, knownSession, openSession } from "./handler.ts"
import type { Questions } from "./questions.ts"
import { createFeeds } from "./watch-entries.ts"
import { createSessionWatch } from "./watch-sessions.ts"

export function sessionHandlers(deps: ApiDeps): Handlers<SessionRoute> {
  const { store, home, questions, runs } = deps
  const feeds = createFeeds(deps)
  const sessions = createSessionWatch(deps)

  async function read(name: string): Promise<[RecordReader, RecordedSession]> {
    const reader = await store.read(name)
    const session = await reader?.session()
    if (!reader || !session) throw await noSuchSession(store, name)
    return [reader, session]
  }

  return {
    async "sessions.list"({ limit }) {
      return { sessions: await describeSessions(deps, await store.sessions({ limit })) }
    },
    async "sessions.show"({ session: name }) {
      const [, recorded] = await read(name)
      const [session] = await describeSessions(deps, [recorded])
      if (!session) throw await noSuchSession(store, name)
      const running = openSession(deps, name)?.running() ?? []
      return {
        session,
        running: running.map(({ id, tool, startedAt }) => {
          return { call: id, tool, started_ms: startedAt }
        }),
      }
    },
    async "sessions.delete"({ session: name }) {
      await openSession(deps, name)?.close()
      const deleted = await deleteSession(store, home, name)
      if (deleted.length === 0) throw await noSuchSession(store, name)
      return { deleted: [...deleted] }
    },
    "sessions.watch": async (_input, { signal }) => sessions.watch(signal),
    async "entries.list"({ session: name, ...query }) {
      const [reader, { head }] = await read(name)
      return { entries: (await reader.entries(query)).map(describeEntry), head }
    },
    async "entries.watch"({ session, after = 0 }, { signal, lastEventId }) {
      const entries = await feeds.watch({ session, after: lastEventId ?? after, signal })
      return withModelText(entries, runs.text(session))
    },
    async "record.watch"({ after }, { token, signal, lastEventId }) {
      return feeds.watchAll({ token, after: lastEventId ?? after, signal })
    },
    async "tools.list"({ session: name, all }) {
      const session = await knownSession(deps, name)
      await session.prepare()
      const tools = session.tools({ all })
      return {
        tools: tools.map(({ name: tool, title, description, effects, inputSchema }) => {
          return {
            name: tool,
            title,
            description,
            effects: [...effects],
            input_schema: inputSchema,
          }
        }),
      }
    },
    async "policy.explain"({ session: name, ...call }) {
      return describeExplanation(await (await knownSession(deps, name)).explain(call))
    },
    async "policy.table"({ session: name, agent }) {
      const agents = [...deps.policyAgents, ...(agent === undefined ? [] : [agent])]
      return policyTable(await knownSession(deps, name), agents)
    },
    async "calls.start"({ session: name, tool, input, sandbox, cwd, timeout_ms, ask, wait }) {
      const options = { sandbox, cwd, timeoutMs: timeout_ms, ask, approve: questions.approve }
      const { id, envelope } = deps.calls.begin(() =>
        deps.sessions.open(name).start(tool, input, options),
      )
      if (!wait) return { call: id }
      return { call: id, envelope: await envelope }
    },
    async "calls.output"({ session: name, call, from, bytes }) {
      const [reader] = await read(name)
      const running = openSession(deps, name)?.running() ?? []
      const isRunning = running.some(({ id }) => id === call)
      return readOutput(reader, { id: call, isRunning }, { from, bytes })
    },
    async "calls.received"({ session: name, call }) {
      const [reader] = await read(name)
      const found = await findCall(reader, call)
      return { received: found && (await describeReceived(found, await knownSession(deps, name))) }
    },
    async "changes.list"({ session: name, call, turn }) {
      return describeChanges(await readChanges(store, name, changesOf(call, turn)))
    },
    async "calls.terminate"({ session: name, call }) {
      const running = openSession(deps, name)?.running() ?? []
      const found = running.find(({ id }) => id === call)
      found?.terminate()
      return { terminated: found !== undefined }
    },
    async "questions.list"() {
      return { questions: [...(await questions.list())] }
    },
    "questions.watch": async (_input, { signal }) => watchQuestions(questions, signal),
    async "questions.answer"(answer, { token }) {
      return { counted: await questions.answer(answer, token?.name ?? "unknown") }
    },
    async "grants.list"({ session: name }) {
      const { grants } = await knownSession(deps, name)
      return { grants: [...(await grants.list())] }
    },
    async "grants.withdraw"({ session: name, grant }) {
      const { grants } = await knownSession(deps, name)
      const before = await grants.list()
      await grants.remove(grant)
      return { withdrawn: (await grants.list()).length < before.length }
    },
  }
}

async function* watchQuestions(
  questions: Questions,
  signal: AbortSignal,
): AsyncIterable<ServerEvent> {
  let shown = ""
  for await (const _ of onChange(questions.watch, signal)) {
    const list = await questions.list()
    const text = JSON.stringify(list)
    if (text !== shown) yield { event: "questions", data: { questions: list } }
    shown = text
  }
}
