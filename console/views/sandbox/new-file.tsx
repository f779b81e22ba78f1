import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso"
import { Action } from "../../parts/action.tsx"
import { client } from "../../state/client.ts"
import { filesPath } from "./files.tsx"
import { pathIn, type SandboxPlace } from "./sandbox-facts.ts"

/** Creates an empty file and opens it. */
export function NewFile({ directory, ...place }: SandboxPlace & { readonly directory: string }) {
  const { route } = useLocation()
  const name = useSignal("")
  const create = async () => {
    if (name.value === "") throw new Error("Give it a name first.")
    const path = pathIn(directory, name.value)
    const { entries } = await client().request("files.list", { ...place, path: directory })
    // A file that is there is opened as it is.
    if (!entries.some((entry) => entry.name === name.value)) {
      await client().request("files.write", { ...place, path }, { body: new Blob([]) })
    }
    route(filesPath(place, path, true))
  }
  return (
    <span class="row">
      <input
        aria-label="Name of a new file"
        placeholder="New file"
        value={name.value}
        onInput={({ currentTarget }) => {
          name.value = currentTarget.value
        }}
      />
      <Action onAct={create}>Create</Action>
    </span>
  )
}
