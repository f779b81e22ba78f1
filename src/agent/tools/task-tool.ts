import { defineTool, object, type Tool, text } from "../../contract/index.ts"
import { systemClock } from "../../kit/index.ts"
import type { Session } from "../../session/index.ts"
import type { SessionRecord } from "../../store/index.ts"
import { remainingLimits, stricterLimits } from "../check-limits.ts"
import type { ConversationReader, CurrentRun } from "../context/read-conversation.ts"
import { addSpent, newEntry, type RunLimits, type Spent } from "../entries.ts"
import type { Person } from "../person.ts"
import type { Agent, AgentOptions, Lineage, RunResult } from "../run-options.ts"

export interface TaskDeps {
  readonly session: Session
  readonly record: SessionRecord
  readonly reader: ConversationReader
  readonly person: Person
  readonly options: AgentOptions
  readonly lineage: Lineage
  readonly createAgent: (options: AgentOptions, lineage: Lineage) => Agent
  readonly run: CurrentRun
  /** What the run may use, as it is now. */
  readonly limits: () => Promise<RunLimits>
  /** What the tasks that run now have used so far, by the calls that they belong to. */
  readonly children: Map<string, Spent>
}

const output = object({
  session: text("The child's session."),
  why: text('How it ended, such as "finished".'),
  text: text("What it answered.", { minLength: 0 }),
  "result?": {},
  calls: { type: "integer", description: "How many calls it made." },
  tokens: { type: "integer" },
})

/**
 * Gives a task to a child session with a record, a role and a context of its own. It can be started again without harm,
 * since it then finds the child and continues it: so it counts as a tool that only reads.
 */
export function taskTool(deps: TaskDeps): Tool {
  const { options } = deps
  const roles = Object.entries(options.roles ?? {})
  const described = roles.map(([name, { description }]) => `${name}: ${description}`).join(" ")
  return defineTool({
    name: "task",
    description:
      `Gives a task to another agent, which works on it alone and answers with its result. It knows only what you write. Several at once run in parallel. ${described}`.trim(),
    effects: ["read"],
    timeoutMs: null,
    input: object({
      task: text('What to do, with everything that it needs to know, such as "Find out why ...".'),
      ...(roles.length > 0 && {
        "role?": {
          enum: roles.map(([name]) => name),
          description: "The role of the agent that does it.",
        },
      }),
      "cwd?": text('The directory where it works, such as "packages/api"; your own when absent.'),
      sandbox: {
        enum: ["shared", "own"],
        default: "shared",
        description: '"shared" to work on your files, "own" for an empty sandbox of its own.',
      },
      "schema?": {
        type: "object",
        additionalProperties: { description: "Any value." },
        description: 'A JSON Schema of the result, such as {"type": "object", ...}.',
      },
    }),
    output,
    async run(input, { callId, signal }) {
      const result = await runTask(deps, { ...(input as TaskInput), call: callId, signal })
      if (result.why === "waiting") return deps.person.waitFor(callId, result.questions)
      const { calls, tokens } = result.spent
      return {
        session: childName(deps.session, callId),
        why: result.why,
        text: result.text,
        ...("value" in result && result.value !== undefined && { result: result.value }),
        ...{ calls, tokens },
      }
    },
    show: ({ why, text: answer, result }) =>
      [answer, ...(result === undefined ? [] : [JSON.stringify(result)]), `[${why}]`].join("\n"),
  })
}

interface TaskInput {
  readonly task: string
  readonly role?: string
  readonly cwd?: string
  readonly sandbox: "shared" | "own"
  readonly schema?: Readonly<Record<string, unknown>>
}

interface TaskRequest extends TaskInput {
  readonly call: string
  readonly signal: AbortSignal
}

function childName(parent: Session, call: string): string {
  return `${parent.name}/${call}`
}

async function runTask(deps: TaskDeps, request: TaskRequest): Promise<RunResult> {
  const { session, record, options, lineage, run, reader, children } = deps
  const { clock = systemClock, name, roles = {} } = options
  const { call, task, role, cwd, sandbox, schema, signal } = request
  const chosen = role === undefined ? undefined : roles[role]
  await using child = session.child({
    ...{ name: childName(session, call), call, cwd, sandboxes: sandbox },
  })
  /** Of all that the run may use, what others have left: tasks that run at the same time share it. */
  const left = async () => {
    const { spent } = await reader.read()
    const others = [...children].filter(([one]) => one !== call).map(([, used]) => used)
    const used = others.reduce(addSpent, spent)
    return remainingLimits(await deps.limits(), used, clock.now() - run.startedAt)
  }
  const agent = deps.createAgent(
    {
      ...options,
      name: role ?? name,
      model: chosen?.model ?? options.model,
      instructions: chosen?.instructions ?? options.instructions,
    },
    {
      depth: lineage.depth + 1,
      ancestors: [...(name ? [name] : []), ...lineage.ancestors],
      limits: left,
      report: (spent) => children.set(call, spent),
    },
  )
  const limits = stricterLimits(await left(), chosen?.limits)
  const childRecord = await child.record?.()
  const known = await childRecord?.session()
  const runOptions = { signal, limits, ...(schema && { schema }) }
  // A child that an earlier process began continues from its own record.
  const work = known?.head ? agent.resume(child, runOptions) : agent.run(child, task, runOptions)
  using _running = { [Symbol.dispose]: () => children.delete(call) }
  const result = await work.result
  if (result.why !== "waiting") {
    const body = { call, session: child.name, spent: result.spent }
    await record.append([newEntry({ kind: "child", body }, clock.now())])
  }
  return result
}
