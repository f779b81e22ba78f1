import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { Action, failureText } from "../../parts/action.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { ShownText } from "../../parts/shown-text.tsx"
import { Clock } from "../../parts/time.tsx"
import { client } from "../../state/client.ts"
import type { SandboxPlace } from "./sandbox-facts.ts"

type Process = RouteAnswer<"processes.list">["processes"][number]

/** What calls left running in the background. */
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
  useEffect(() => void load(), [session, sandbox])
  const all = processes.value
  return (
    <section aria-label="Processes">
      <div class="row bar">
        <Action onAct={load}>Look again</Action>
      </div>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {all?.length === 0 && <p class="empty">No process runs in the background.</p>}
      {all && all.length > 0 && (
        <Scroll label="Processes">
          <table class="wide">
            <thead>
              <tr>
                <th scope="col">Command</th>
                <th scope="col">Pid</th>
                <th scope="col">Started</th>
                <th scope="col">State</th>
                <th scope="col">
                  <span class="unseen">Kill</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <ProcessRow
                  key={one.process}
                  process={one}
                  onKill={() =>
                    client()
                      .request("processes.kill", { session, sandbox, process: one.process })
                      .then(load)
                  }
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  )
}

interface ProcessRowProps {
  readonly process: Process
  readonly onKill: () => Promise<void>
}

function ProcessRow({ process, onKill }: ProcessRowProps) {
  const { command, pid, started_ms, state, exit_code } = process
  const text = typeof command === "string" ? command : command.join(" ")
  return (
    <tr>
      <th scope="row">
        <code>
          <ShownText text={text} />
        </code>
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
        {state === "running" && (
          <Confirm label="Kill" title="Kill this process?" onAct={onKill}>
            It ends with all that it started.
          </Confirm>
        )}
      </td>
    </tr>
  )
}
