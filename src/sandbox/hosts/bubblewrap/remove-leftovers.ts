import { basename } from "node:path"
import { removeAbandoned } from "../../agent/directory/remove-abandoned.ts"
import { abandonedIn } from "../../owners/abandoned.ts"
import { type Controllers, removeControlGroup } from "../../confine/control-groups.ts"
import { endLeftBehind } from "./end-left-behind.ts"

/** Where a sandbox's limits are kept, by the name of its directory. */
export function groupName(directory: string): string {
  return `toolkeep/${basename(directory)}`
}

/** Ends and removes the processes, files and control groups of every Toolkeep that died without doing it. */
export async function removeLeftovers(
  directory: string,
  controllers: Controllers | null,
): Promise<void> {
  for (const { directory: path } of abandonedIn(directory)) endLeftBehind(path)
  for (const path of await removeAbandoned(directory)) {
    if (controllers) await removeControlGroup(controllers, groupName(path))
  }
}
