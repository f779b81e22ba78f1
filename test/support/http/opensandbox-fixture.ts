import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConnectionConfig } from "@alibaba-group/opensandbox"
import { createQuestions, type Questions, serveApi } from "../../../src/http/index.ts"
import { systemClock } from "../../../src/kit/index.ts"
import { parsePolicyYaml } from "../../../src/policy/index.ts"
import { bubblewrapHost, createPreviewHub } from "../../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep } from "../../../src/session/index.ts"
import { openRecord, type RecordStore } from "../../../src/store/index.ts"

export interface OpenSandboxServer extends AsyncDisposable {
  readonly keep: Toolkeep
  readonly store: RecordStore
  readonly questions: Questions
  readonly port: number
  readonly token: string
  /** How the official SDK reaches it, with the owner's token or another. */
  connection(token?: string): ConnectionConfig
  /** Stops it and starts another one with the same home. */
  restart(): Promise<OpenSandboxServer>
}

/** A server with OpenSandbox's API over bubblewrap sandboxes. */
export async function serveOpenSandbox(policy = "", home = newHome()): Promise<OpenSandboxServer> {
  const store = await openRecord({ file: join(home, "record.sqlite") })
  const questions = createQuestions({ store, clock: systemClock })
  const previewHub = createPreviewHub()
  const host = bubblewrapHost({ directory: join(home, "bubblewrap") })
  const keep = await openToolkeep({
    ...{ host, home, record: store, previewHub, effects: true },
    policy: policy === "" ? "full" : await parsePolicyYaml(policy),
  })
  const tokens = ["0123456789abcdef0123456789abcdef"]
  const { port, token, close } = await serveApi(keep, {
    ...{ store, home, questions, previewHub, tokens, port: 0, console: false, opensandbox: true },
  })
  const stop = async () => {
    await close()
    await keep.close()
    await store.close()
  }
  return {
    ...{ keep, store, questions, port, token },
    connection: (apiKey = token) =>
      new ConnectionConfig({ domain: `127.0.0.1:${port}`, apiKey, disableMetrics: true }),
    async restart() {
      await stop()
      return serveOpenSandbox(policy, home)
    },
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-opensandbox-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(home, 0o755)
  return home
}
