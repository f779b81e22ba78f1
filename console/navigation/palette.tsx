import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso"
import { Dialog } from "../parts/dialog.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { keys } from "../state/keys.ts"
import { sessions } from "../state/sessions.ts"
import { KeyNames } from "./key-names.tsx"
import { sessionPath } from "./views.ts"

interface Command {
  readonly id: string
  readonly does: string
  readonly keys: string | null
  readonly act: () => void
}

const shownCommands = 12

/** Everything that has a key, and every session, by its name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const wanted = useSignal("")
  const at = useSignal(0)
  const found = matching([...keyCommands(), ...sessionCommands(route)], wanted.value)
  const chosen = found[Math.min(at.value, found.length - 1)]
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    // The dialog gives the focus back first: what acts may move it.
    queueMicrotask(command.act)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      at.value = Math.max(0, Math.min(found.length - 1, at.value + step))
      event.preventDefault()
    }
    if (event.key === "Enter") run(chosen)
  }
  return (
    <Dialog title="Go to or do" class="palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="What to do"
        aria-expanded="true"
        aria-controls="palette-commands"
        aria-activedescendant={chosen && `palette-${chosen.id}`}
        autocomplete="off"
        autofocus
        value={wanted.value}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          wanted.value = currentTarget.value
          at.value = 0
        }}
      />
      <div id="palette-commands" role="listbox" aria-label="What can be done">
        {found.map((command) => (
          <button
            key={command.id}
            id={`palette-${command.id}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={command === chosen}
            onClick={() => run(command)}
          >
            <ShownText text={command.does} />
            {command.keys !== null && <KeyNames keys={command.keys} />}
          </button>
        ))}
      </div>
      {found.length === 0 && <p class="quiet">Nothing is called that.</p>}
    </Dialog>
  )
}

function keyCommands(): readonly Command[] {
  const usable = keys.bindings.value.filter(({ when }) => when?.() ?? true)
  return usable.map(({ keys: names, does, act }) => ({
    id: `key-${names}`,
    does,
    keys: names,
    act,
  }))
}

function sessionCommands(route: (path: string) => void): readonly Command[] {
  return sessions.value.map(({ name }) => ({
    ...{ id: `session-${name}`, does: `Session ${name}`, keys: null },
    act: () => route(sessionPath(name)),
  }))
}

function matching(commands: readonly Command[], wanted: string): readonly Command[] {
  const words = wanted.toLowerCase().split(/\s+/)
  const isWanted = ({ does }: Command) => words.every((word) => does.toLowerCase().includes(word))
  return commands.filter(isWanted).slice(0, shownCommands)
}
