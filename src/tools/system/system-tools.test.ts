import { expect, it } from "vitest"
import type { CallContext, Capabilities } from "../../contract/index.ts"
import { defaultCallLimits, limits } from "../../contract/index.ts"
import { systemTools } from "./system-tools.ts"

const can: Capabilities = {
  host: "example",
  isolation: "container",
  liveOutput: true,
  argumentLists: true,
  fileModes: false,
  networks: ["none"],
  background: false,
  ports: false,
  languages: {},
  sleep: false,
  snapshots: false,
  durable: true,
  ripgrep: null,
  limits: { memoryBytes: 512, diskBytes: null, processes: 64, processors: null },
}

const withoutSandbox: CallContext = {
  callId: "call_test",
  tool: "system.info",
  signal: new AbortController().signal,
  terminated: new AbortController().signal,
  session: { name: "test", entries: async () => [] },
  workspace: () => {
    throw new Error("a sandbox was started")
  },
  dispatch: () => {
    throw new Error("a sandbox was started")
  },
  output: () => {},
  warn: () => {},
}

it("Y14.system, R9.without: system.info says which promises hold, and starts no sandbox for it", async () => {
  const [info] = systemTools({
    can,
    version: "1.2.3",
    limits: defaultCallLimits,
    sandbox: "build",
    cwd: "/work",
  })
  expect(await info?.run({} as never, withoutSandbox)).toEqual({
    kind: "system",
    toolkeep: "1.2.3",
    host: "example",
    isolation: "container",
    network: "none",
    sandbox: "build",
    cwd: "/work",
    can: {
      search_files: true,
      watch_output: true,
      run_in_background: false,
      open_terminals: false,
      keep_file_modes: false,
      keep_files_after_the_session: true,
    },
    languages: [],
    limits: {
      memory_bytes: 512,
      disk_bytes: null,
      processes: 64,
      tool_timeout_ms: limits.toolTimeoutMs,
      text_bytes: limits.textBytes,
      result_bytes: limits.resultBytes,
      listing_entries: limits.listingEntries,
    },
  })
})

it("O15: system.info takes no arguments", () => {
  const [info] = systemTools({ can, version: "1.2.3", limits: defaultCallLimits })
  expect(info?.check({ verbose: true })).toMatchObject({ ok: false, failure: { field: "verbose" } })
})
