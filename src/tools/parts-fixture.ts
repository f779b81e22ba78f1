import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Capabilities } from "../contract/index.ts"
import { createPool, memoryHost } from "../sandbox/index.ts"
import { artifactDirectory } from "../store/index.ts"
import type { ToolParts } from "./tool-parts.ts"

/** For tests that only look at definitions: parts of which nothing is opened until a tool runs. */
export function partsWith(can: Capabilities, rest: Partial<ToolParts> = {}): ToolParts {
  const home = join(tmpdir(), "toolkeep-nothing")
  return {
    can,
    version: "0.0.0",
    session: "test",
    home,
    settings: {},
    sandboxes: createPool(memoryHost()),
    artifacts: artifactDirectory(join(home, "artifacts")),
    onClose: () => {},
    ...rest,
  }
}
