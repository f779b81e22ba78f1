import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { measure } from "./conformance-fixture.ts"

it("F10, F11, F14, F18, F19, F21, Y12: the bubblewrap host keeps every promise it makes", async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
  await chmod(directory, 0o755)
  try {
    const host = bubblewrapHost({ directory })
    expect(await host.probe(), "bubblewrap is needed: apt-get install bubblewrap").toEqual({
      kind: "ready",
    })
    expect(await measure(host)).toEqual({ broken: [], notPromised: ["process-groups.destroy"] })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}, 900_000)
