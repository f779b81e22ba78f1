import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { Action, failureText } from "../../parts/action.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { Table, Unseen } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { Clock } from "../../parts/time.tsx"
import { client } from "../../state/client.ts"
import { lookWhileVisible } from "../../state/look-while-visible.ts"
import { ProcessOutput } from "./process-output.tsx"
import type { SandboxPlace } from "./sandbox-facts.ts"

const lookMs = 2_000

type Process = RouteAnswer<"processes.list">["processes"][number]

/** What calls left running in the background. Each can show what it writes. */
export function Processes({ session, sandbox }: SandboxPlace) {
  const processes = useSignal<readonly Process[] | null>(null)
  const problem = useSignal<string | null>(null)
  const load = async () => {
    try {
      processes.value = (await client().request("processes.list", { session, sandbox })).processes
      problem.value = null
    } catch (error) {
      problem.value = failureText(error)
    }
  }
  useEffect(() => lookWhileVisible(load, lookMs), [session, sandbox])
  const all = processes.value
  return (
    <section aria-label="Processes">
      <div class="row bar">
        <Action onAct={load}>Look again</Action>
      </div>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {all?.length === 0 && <p class="empty">No process runs in the background.</p>}
      {all && all.length > 0 && (
        <Table
          label="Processes"
          columns={["Command", "Pid", "Started", "State", <Unseen key="unseen">Actions</Unseen>]}
        >
          {all.map((one) => (
            <ProcessRow
              key={one.process}
              {...{ session, sandbox }}
              process={one}
              onKill={() =>
                client()
                  .request("processes.kill", { session, sandbox, process: one.process })
                  .then(load)
              }
            />
          ))}
        </Table>
      )}
    </section>
  )
}

interface ProcessRowProps extends SandboxPlace {
  readonly process: Process
  readonly onKill: () => Promise<void>
}

function ProcessRow({ process, onKill, ...place }: ProcessRowProps) {
  const isOpen = useSignal(false)
  const { command, pid, started_ms, state, exit_code } = process
  const text = typeof command === "string" ? command : command.join(" ")
  return (
    <tr>
      <th scope="row">
        <code>
          <ShownText text={text} />
        </code>
        {isOpen.value && <ProcessOutput {...place} process={process.process} />}
      </th>
      <td>{pid}</td>
      <td>
        <Clock ms={started_ms} />
      </td>
      <td>
        {state}
        {exit_code !== null && ` with ${exit_code}`}
      </td>
      <td>
        <div class="row">
          <button
            type="button"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value
            }}
          >
            Output
          </button>
          {state === "running" && (
            <Confirm label="Kill" title="Kill this process?" onAct={onKill}>
              It ends with all that it started.
            </Confirm>
          )}
        </div>
      </td>
    </tr>
  )
}
