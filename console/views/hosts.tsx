import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { failureText } from "../parts/action.tsx"
import { Scroll } from "../parts/scroll.tsx"
import { ShownText } from "../parts/shown-text.tsx"
import { Day } from "../parts/time.tsx"
import { client } from "../state/client.ts"

type HostFacts = RouteAnswer<"hosts.list">["hosts"][number]
type Proof = NonNullable<HostFacts["proof"]>

/** Each host of sandboxes: whether it works here, what it promises, and what was proved. */
export function Hosts() {
  const hosts = useSignal<readonly HostFacts[]>([])
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    client()
      .request("hosts.list", {})
      .then(
        (listed) => {
          hosts.value = listed.hosts
        },
        (error: unknown) => {
          problem.value = failureText(error)
        },
      )
  }, [])
  return (
    <>
      <h1>Hosts</h1>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {hosts.value.map((host) => (
        <Host key={host.host} facts={host} />
      ))}
    </>
  )
}

function Host({ facts }: { readonly facts: HostFacts }) {
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

function Checks({ checks }: { readonly checks: Proof["checks"] }) {
  return (
    <ul class="checks">
      {checks.map(({ check, promise, how }) => (
        <li key={check}>
          <code>{check}</code> <ShownText text={promise} />
          <div class="quiet">
            <ShownText text={how} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function Promises({ host, can }: { readonly host: string; readonly can: unknown }) {
  return (
    <Scroll label={`Promises of ${host}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Promise</th>
            <th scope="col">Says</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </Scroll>
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
