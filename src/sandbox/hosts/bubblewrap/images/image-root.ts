import { type Capabilities, commonPrograms } from "../../../../contract/index.ts"
import { findProgram } from "../../../../node/index.ts"
import { hasTerminals } from "../../../host/unsupported.ts"
import { lookInside } from "../../../paths/walk-inside.ts"
import { nodeLanguages } from "../../../programs/injected-node.ts"

/** What a sandbox's programs are. */
export type ImageRoot =
  /** This machine's own. */
  | { readonly kind: "host" }
  /** A directory with the root file system of another. */
  | {
      readonly kind: "tree"
      readonly path: string
      /** Where the image looks for programs; null for the default search path. */
      readonly searchPath: string | null
    }

/** Where sandboxes look for programs when their image does not say. */
export const defaultSearchPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

/** What code can be run in a sandbox; of an image that is not open yet, only what every one is given. */
export function imageLanguages(root: ImageRoot | null): Capabilities["languages"] {
  const python = root !== null && hasProgram(root, "python3") ? { python: ["python3", "-c"] } : {}
  return { ...nodeLanguages(), ...python, bash: ["bash", "-c", "--"] }
}

/** Which programs commands find in it; of an image that is not open yet, nobody knows. */
export function imagePrograms(root: ImageRoot | null): Pick<Capabilities, "programs" | "terminal"> {
  if (root === null) return {}
  return {
    programs: commonPrograms.filter((name) => hasProgram(root, name)),
    terminal: hasTerminals((name) => hasProgram(root, name)),
  }
}

function hasProgram(root: ImageRoot, name: string): boolean {
  // In what sandboxes see of this machine.
  if (root.kind === "host") return findProgram(name, "/usr/local/bin:/usr/bin") !== null
  const directories = (root.searchPath ?? defaultSearchPath).split(":")
  return directories.some((directory) => lookInside(root.path, `${directory}/${name}`)?.isFile())
}

/** Whether a directory says that it is an OCI image layout. */
export function isOciLayout(directory: string): boolean {
  return lookInside(directory, "oci-layout")?.isFile() ?? false
}
