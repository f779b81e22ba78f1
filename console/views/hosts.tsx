import type { RouteAnswer } from "../../src/api/index.ts"
import { Table } from "../parts/table.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { Day } from "../parts/time.tsx"
import { useLoaded } from "../parts/use-loaded.ts"
import { client } from "../state/client.ts"
import { Checks, type Proof, Prove } from "./prove.tsx"

type HostFacts = RouteAnswer<"hosts.list">["hosts"][number]

/** Each host of sandboxes: whether it works here, what it promises, and what was proved. */
export function Hosts() {
  const { value, problem, load } = useLoaded(
    (signal) => client().request("hosts.list", {}, { signal }),
    [],
  )
  return (
    <>
      <h1>Hosts</h1>
      {problem !== null && <p role="alert">{problem}</p>}
      {value === null && problem === null && (
        <p class="quiet" aria-busy="true">
          Looking which of them work here
        </p>
      )}
      {value?.hosts.map((host) => (
        <Host key={host.host} facts={host} onProved={load} />
      ))}
    </>
  )
}

interface HostProps {
  readonly facts: HostFacts
  readonly onProved: () => Promise<void>
}

function Host({ facts, onProved }: HostProps) {
  const { host, summary, is_used: isUsed, why_not: whyNot, can, proof } = facts
  const state = isUsed ? "in use" : whyNot === null ? "works here" : "does not work here"
  return (
    <section aria-labelledby={`host-${host}`}>
      <h2 id={`host-${host}`}>
        {host} <span class={`badge ${whyNot === null ? "good" : "quiet"}`}>{state}</span>
      </h2>
      <p>{summary}</p>
      {whyNot !== null && <p>{whyNot}</p>}
      {proof ? <Proved proof={proof} /> : <NotProved command={facts.prove_with} />}
      {whyNot === null && <Prove host={host} onProved={onProved} />}
      <details open={isUsed}>
        <summary>What it promises</summary>
        <Promises host={host} can={can} />
      </details>
    </section>
  )
}

function NotProved({ command }: { readonly command: string }) {
  return (
    <p class="quiet">
      Not proved on this machine. <code>{command}</code> proves its promises.
    </p>
  )
}

/** Broken promises first, in full; the kept ones on demand. */
function Proved({ proof: { version, at_ms: atMs, checks } }: { readonly proof: Proof }) {
  const broken = checks.filter(({ kept }) => kept === false)
  const kept = checks.filter(({ kept: isKept }) => isKept === true)
  return (
    <>
      <p>
        {kept.length} promises kept, {broken.length} broken,{" "}
        {checks.length - kept.length - broken.length} not made. Proved on <Day ms={atMs} /> with
        version {version}.
      </p>
      {broken.length > 0 && <Checks checks={broken} />}
      <details>
        <summary>The promises that were kept</summary>
        <Checks checks={kept} />
      </details>
    </>
  )
}

function Promises({ host, can }: { readonly host: string; readonly can: unknown }) {
  return (
    <Table label={`Promises of ${host}`} columns={["Promise", "Says"]} look="">
      {Object.entries(Object(can)).map(([name, value]) => (
        <tr key={name}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td>
            <ShownText text={inWords(value)} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function inWords(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (value === null) return "none"
  if (Array.isArray(value)) return value.map(inWords).join(", ") || "none"
  if (typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${inWords(part)}`)
    .join("; ")
}
