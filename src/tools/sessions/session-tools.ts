import { defineTool, integer, object, showLines, text } from "../../contract/index.ts"
import type { RecordedSession } from "../../store/index.ts"
import { sessionsLimits } from "../limits.ts"

/** The recorded sessions that a session may see, and delete where the policy lets it. */
export interface VisibleSessions {
  /** The latest first. */
  list(limit: number): Promise<readonly RecordedSession[]>
  /** With its children; the names of those that were deleted. */
  delete(name: string): Promise<readonly string[]>
}

/** What was recorded beside this session. Only recorded sessions have these tools. */
export function sessionTools(sessions: VisibleSessions | undefined, own: string) {
  return sessions ? [listTool(sessions, own), deleteTool(sessions)] : []
}

/** sessions.list: the recorded sessions, the latest first. */
function listTool(sessions: VisibleSessions, own: string) {
  return defineTool({
    name: "sessions.list",
    title: "List sessions",
    description:
      "Lists the recorded sessions, the latest first: how many entries each has, whether it is open, and whether an " +
      'agent works in it. Example: {"limit": 20}.',
    input: object({
      limit: integer("At most this many, such as 20.", {
        minimum: 1,
        maximum: sessionsLimits.shownMost,
        default: sessionsLimits.shown,
      }),
    }),
    output: object({
      kind: { const: "sessions" },
      sessions: {
        type: "array",
        items: object({
          session: { type: "string" },
          own: { type: "boolean" },
          entries: { type: "integer" },
          state: { enum: ["idle", "running", "waiting"] },
          open: { type: "boolean" },
          child: { type: "boolean" },
          created: { type: "string", format: "date-time" },
          updated: { type: "string", format: "date-time" },
        }),
      },
      truncated: { type: "boolean" },
    }),
    effects: ["read"],
    async run({ limit }) {
      const found = await sessions.list(limit + 1)
      const shown = found.slice(0, limit)
      return {
        kind: "sessions",
        sessions: shown.map(({ name, head, state, owner, parent, createdAt, updatedAt }) => ({
          ...{ session: name, own: name === own, entries: head, state },
          ...{ open: owner !== null, child: parent !== null },
          created: new Date(createdAt).toISOString(),
          updated: new Date(updatedAt).toISOString(),
        })),
        truncated: found.length > limit,
      }
    },
    show: ({ sessions: shown, truncated }) =>
      showLines(
        ...shown.map(({ session, own: isOwn, entries, state, open, child, created, updated }) => {
          const marks = [state, open && "open", child && "a child", isOwn && "this one"]
          const said = marks.filter(Boolean).join(", ")
          return `${session}: ${entries} entries, ${said}, made ${created}, changed ${updated}`
        }),
        truncated && "[there are more; ask with a higher limit]",
      ) || "No sessions.",
  })
}

/** sessions.delete: a session with its children, its sandboxes' files and its artifacts. */
function deleteTool(sessions: VisibleSessions) {
  return defineTool({
    name: "sessions.delete",
    title: "Delete a session",
    description:
      "Permanently deletes a recorded session: its record, its children, the files of its sandboxes and its artifacts. " +
      'One that is open can\'t be deleted, nor this one. Example: {"session": "experiment"}.',
    input: object({
      session: text("Its name, as sessions.list shows it.", {
        maxLength: sessionsLimits.nameCharacters,
      }),
    }),
    output: object({
      kind: { const: "sessions" },
      deleted: { type: "array", items: { type: "string" } },
      deleted_count: { type: "integer" },
    }),
    effects: ["write"],
    async run({ session }) {
      const deleted = await sessions.delete(session)
      return { kind: "sessions", deleted, deleted_count: deleted.length }
    },
    show: ({ deleted, deleted_count: count }) => `Deleted ${count}: ${deleted.join(", ")}.`,
  })
}
