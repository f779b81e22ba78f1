import { type Signal, useSignal } from "@preact/signals"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { Field } from "../../parts/field.tsx"
import { hasWords, SearchBox } from "../../parts/search-box.tsx"
import { Table } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { client } from "../../state/client.ts"
import { WhatIf } from "./what-if.tsx"

type Verdicts = RouteAnswer<"policy.table">
type Cell = Verdicts["tools"][number]["cells"][number]

/** A tool, and an agent or null for any other. */
export interface ChosenCell {
  readonly tool: string
  readonly agent: string | null
}

/** Agents by tools. Each verdict opens its reason, and what would be decided about arguments. */
export function WhoMayDoWhat({ session }: { readonly session: string }) {
  const agent = useSignal("")
  const wanted = useSignal("")
  const chosen = useSignal<ChosenCell | null>(null)
  const who = agent.value === "" ? {} : { agent: agent.value }
  const { value: table, problem } = useLoaded(
    (signal) => client().request("policy.table", { session, ...who }, { signal }),
    [session, agent.value],
  )
  return (
    <section aria-labelledby="who">
      <h2 id="who">Who may do what</h2>
      <div class="row policy-choice">
        <Field label="Tool">
          <SearchBox label="Search tools" placeholder="All tools" wanted={wanted} />
        </Field>
        <Field label="One more agent">
          <input
            placeholder="Its name"
            value={agent.value}
            onChange={({ currentTarget }) => {
              agent.value = currentTarget.value.trim()
            }}
          />
        </Field>
      </div>
      {problem !== null && <p role="alert">{problem}</p>}
      {table && isOpenToAll(table) && <NothingAsks />}
      {table && <VerdictTable table={table} wanted={wanted.value} chosen={chosen} />}
      {chosen.value && (
        <WhatIf
          key={`${chosen.value.tool} ${chosen.value.agent}`}
          session={session}
          chosen={chosen.value}
          onClose={() => {
            chosen.value = null
          }}
        />
      )}
    </section>
  )
}

function isOpenToAll({ tools }: Verdicts): boolean {
  return tools.every(({ cells }) =>
    cells.every(
      ({ verdict, depends_on_arguments }) => verdict === "allow" && !depends_on_arguments,
    ),
  )
}

/** For those who have not written a rule yet. */
function NothingAsks() {
  return (
    <div class="empty">
      <p>Everything is allowed. These lines in toolkeep.yaml have a person asked first:</p>
      <pre>{"tools:\n  hooks:\n    confirm: [shell.exec]"}</pre>
    </div>
  )
}

const looks = { allow: "good", ask: "warn", deny: "bad" } as const

interface VerdictsProps {
  readonly table: Verdicts
  readonly wanted: string
  readonly chosen: Signal<ChosenCell | null>
}

function VerdictTable({ table: { agents, tools }, wanted, chosen }: VerdictsProps) {
  const found = tools.filter(({ tool }) => hasWords(tool, wanted))
  const named = agents.map((agent) => <ShownText key={agent} text={agent} />)
  const columns = ["Tool", "Any agent", ...named]
  return (
    <>
      <Table label="Verdicts" columns={columns} look="wide verdicts">
        {found.map(({ tool, cells }) => (
          <tr key={tool}>
            <th scope="row">
              <ShownText text={tool} />
            </th>
            {cells.map((cell) => (
              <td key={cell.agent ?? ""}>
                <VerdictCell tool={tool} cell={cell} chosen={chosen} />
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {found.length === 0 && <p class="quiet">No tool has this name.</p>}
    </>
  )
}

interface VerdictCellProps {
  readonly tool: string
  readonly cell: Cell
  readonly chosen: Signal<ChosenCell | null>
}

function VerdictCell({ tool, cell, chosen }: VerdictCellProps) {
  const { agent, verdict, rule, depends_on_arguments: dependsOnArguments } = cell
  const isChosen = chosen.value?.tool === tool && chosen.value.agent === agent
  const why = [
    rule.because ?? rule.text,
    rule.line === undefined ? "" : `toolkeep.yaml line ${rule.line}`,
  ]
  return (
    <>
      <button
        type="button"
        class={`badge ${looks[verdict]}`}
        aria-pressed={isChosen}
        aria-label={`${tool} for ${agent ?? "any agent"}: ${verdict}`}
        onClick={() => {
          chosen.value = isChosen ? null : { tool, agent }
        }}
      >
        {verdict}
        {dependsOnArguments && " *"}
      </button>{" "}
      <span class="quiet why">
        <ShownText text={why.filter((part) => part !== "").join(", ")} />
      </span>
    </>
  )
}
