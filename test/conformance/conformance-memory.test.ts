import { expect, it } from "vitest"
import { memoryHost } from "../../src/sandbox/index.ts"
import { allowLists, idsOf, measureReusing } from "./conformance-fixture.ts"

it("F10, F11, F14, F15, F18, F19, F21: the memory host keeps every promise it makes", async () => {
  expect(await measureReusing(memoryHost())).toEqual({
    broken: [],
    notPromised: [
      "exit-codes.killed",
      "exit-codes.terminated",
      "live-output.while-it-runs",
      "live-output.complete",
      "live-output.never-late",
      "timeouts.stubborn",
      "timeouts.output-kept",
      "idle-timeouts.silence",
      "idle-timeouts.reset",
      "idle-timeouts.stderr-counts",
      "idle-timeouts.work-stops",
      "idle-timeouts.far",
      "idle-timeouts.with-deadline",
      "abort.output",
      "process-groups.deadline",
      "process-groups.abort",
      "process-groups.stubborn",
      "process-groups.setsid",
      "process-groups.setsid-abort",
      "process-groups.held-pipe",
      "process-groups.held-pipe-deadline",
      "process-groups.destroy",
      "fresh-commands.umask",
      "stdin.live",
      "file-failures.special-file",
      "listing.other",
      ...allowLists,
      "code.programs",
      ...idsOf("background"),
      ...idsOf("terminal"),
      ...idsOf("ports"),
      "sleep.processes",
      "limits.processes",
      ...idsOf("snapshots"),
    ],
  })
}, 900_000)
