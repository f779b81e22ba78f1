import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createWorkspace, type Sandbox } from "../../src/sandbox/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"

const commands = 1_000
const started = "http.client.request.start"

/** All requests of this process are to the API server. */
export async function countRequests(sandbox: Sandbox): Promise<BenchRow> {
  const workspace = createWorkspace(sandbox)
  let value = 0
  const count = () => {
    value += 1
  }
  subscribe(started, count)
  for (let done = 0; done < commands; done += 1) await workspace.exec("true")
  unsubscribe(started, count)
  return {
    id: "cluster-requests",
    what: `requests to the API server for ${commands} commands`,
    value,
    bar: 20,
    aim: 5,
    better: "lower",
  }
}
