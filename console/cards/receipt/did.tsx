import type { CallCard } from "../../model/card.ts"
import { type EffectFact, effectLines, effectNotes } from "../../model/effects-view.ts"
import { ShownText } from "../../parts/shown-text.tsx"

/** What the call did, each a fact or the reason why it is not known. */
export function Did({ call: { effects } }: { readonly call: CallCard }) {
  return (
    <>
      <table>
        <tbody>
          {effectLines(effects).map(({ about, fact }) => (
            <tr key={about}>
              <th scope="row">{about}</th>
              <td>
                <Fact fact={fact} />
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
    </>
  )
}

function Fact({ fact }: { readonly fact: EffectFact }) {
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
          {fact.items.map((item, index) => (
            <li key={index}>
              <ShownText text={item} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
