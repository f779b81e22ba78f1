import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createQuestions, type Questions, serveApi } from "../../../src/http/index.ts"
import { systemClock } from "../../../src/kit/index.ts"
import { bubblewrapHost, createPreviewHub } from "../../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep, type ToolkeepOptions } from "../../../src/session/index.ts"
import { openRecord } from "../../../src/store/index.ts"

export interface E2bServer extends AsyncDisposable {
  readonly keep: Toolkeep
  readonly questions: Questions
  readonly home: string
  readonly port: number
  /** What E2B's SDK is given. */
  readonly connection: {
    readonly apiKey: string
    readonly apiUrl: string
    readonly sandboxUrl: string
  }
}

/** A server with bubblewrap sandboxes that serves E2B's API. */
export async function serveE2b(policy: ToolkeepOptions["policy"] = "full"): Promise<E2bServer> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-e2b-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(home, 0o755)
  const store = await openRecord({ file: join(home, "record.sqlite") })
  const previewHub = createPreviewHub()
  const questions = createQuestions({ store, clock: systemClock })
  const host = bubblewrapHost({ directory: join(home, "bubblewrap") })
  const keep = await openToolkeep({
    ...{ host, home, record: store, previewHub, policy },
  })
  const tokens = ["0123456789abcdef0123456789abcdef"]
  const served = { store, home, questions, previewHub, tokens, port: 0, e2b: true }
  const { port, token, close } = await serveApi(keep, served)
  const url = `http://127.0.0.1:${port}/e2b`
  return {
    ...{ keep, questions, home, port },
    connection: { apiKey: token, apiUrl: url, sandboxUrl: url },
    async [Symbol.asyncDispose]() {
      await close()
      await keep.close()
      await store.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
