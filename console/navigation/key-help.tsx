import { Dialog } from "../parts/dialog.tsx"
import { type KeyBinding, keys } from "../state/keys.ts"
import { KeyNames } from "./key-names.tsx"

const groups = ["Go to", "Page", "Replay", "Card", "Question"] as const

/** All keys that the page has now. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" class="key-help" onClose={onClose}>
      <KeyTable />
      <footer class="row">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  )
}

export function KeyTable() {
  const all = keys.bindings.value
  return (
    <>
      {groups.map((group) => {
        const bindings = all.filter((one) => one.group === group)
        return bindings.length > 0 && <Group key={group} name={group} bindings={bindings} />
      })}
    </>
  )
}

interface GroupProps {
  readonly name: string
  readonly bindings: readonly KeyBinding[]
}

/** Each once: many cards have the same keys. */
function Group({ name, bindings }: GroupProps) {
  const once = new Map(bindings.map((one) => [one.keys, one]))
  return (
    <table>
      <caption>{name}</caption>
      <tbody>
        {[...once.values()].map(({ keys: names, does }) => (
          <tr key={names}>
            <th scope="row">
              <KeyNames keys={names} />
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
