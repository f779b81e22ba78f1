import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { CallCard } from "../../model/card.ts"
import {
  type EffectFact,
  type EffectItem,
  effectLines,
  effectNotes,
} from "../../model/effects-view.ts"
import { changesPath } from "../../navigation/views.ts"
import { failureText } from "../../parts/action.tsx"
import { Fold } from "../../parts/fold.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"
import { type FileChanged, FileDiff } from "../changed-file.tsx"

interface DidProps {
  readonly call: CallCard
  readonly session: string
}

type Diffs =
  | { readonly kind: "unread" }
  | { readonly kind: "loaded"; readonly files: readonly FileChanged[] }
  | { readonly kind: "failed"; readonly why: string }

/** What the call did, each a fact or the reason why it is not known. */
export function Did({ call: { id, effects }, session }: DidProps) {
  const diffs = useSignal<Diffs>({ kind: "unread" })
  const ended = useRef(new AbortController())
  useEffect(() => () => ended.current.abort(), [])
  /** The diffs of all files come with the first that is opened. */
  const open = async () => {
    if (diffs.value.kind === "loaded") return
    try {
      const { signal } = ended.current
      const answer = await client().request("changes.list", { session, call: id }, { signal })
      diffs.value = { kind: "loaded", files: answer.sandboxes.flatMap(({ files }) => files) }
    } catch (error) {
      diffs.value = { kind: "failed", why: failureText(error) }
    }
  }
  const lines = effectLines(effects)
  const hasFiles = lines.some(({ fact }) => fact.kind === "known" && fact.items.some(isFile))
  return (
    <>
      <table>
        <tbody>
          {lines.map(({ about, fact }) => (
            <tr key={about}>
              <th scope="row">{about}</th>
              <td>
                <Fact fact={fact} diffs={diffs.value} onOpen={open} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {effectNotes(effects).map((note) => (
        <p key={note} class="quiet">
          <ShownText text={note} />
        </p>
      ))}
      {hasFiles && <a href={changesPath(session, { call: id })}>Changes of this call</a>}
    </>
  )
}

function isFile({ path }: EffectItem): boolean {
  return path !== null
}

interface FactProps {
  readonly fact: EffectFact
  readonly diffs: Diffs
  readonly onOpen: () => Promise<void>
}

function Fact({ fact, diffs, onOpen }: FactProps) {
  if (fact.kind === "unknown") {
    return (
      <span class="quiet">
        not known, because <ShownText text={fact.because} />
      </span>
    )
  }
  return (
    <>
      {fact.text}
      {fact.items.length > 0 && (
        <ul class="tree">
          {fact.items.map(({ text, path }, index) => (
            <li key={index}>
              {path === null ? (
                <ShownText text={text} />
              ) : (
                <Fold summary={<ShownText text={text} />} onOpen={onOpen}>
                  {() => <DiffOf path={path} diffs={diffs} />}
                </Fold>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function DiffOf({ path, diffs }: { readonly path: string; readonly diffs: Diffs }) {
  switch (diffs.kind) {
    case "unread":
      return <p aria-busy="true">Reading</p>
    case "failed":
      return <p role="alert">{diffs.why}</p>
    case "loaded": {
      const file = diffs.files.find((one) => one.path === path)
      if (file) return <FileDiff file={file} />
      return <p class="quiet">Diff not known, because the record has no more of it</p>
    }
    default:
      return diffs satisfies never
  }
}
