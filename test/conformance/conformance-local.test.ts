import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { localHost } from "../../src/sandbox/index.ts"
import { allowLists, idsOf, measure } from "./conformance-fixture.ts"

it("F10, F11, F14, F18, F19, F21: the local host keeps every promise it makes", async () => {
  const base = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
  try {
    const host = localHost({ directoryFor: (name) => join(base, name) })
    expect(await measure(host)).toEqual({
      broken: [],
      notPromised: [
        ...["links.outside-directory", "network.none", ...allowLists],
        ...["limits.memory", "limits.processes", "limits.disk"],
        ...idsOf("snapshots"),
        ...idsOf("checkpoints"),
      ],
    })
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}, 900_000)
