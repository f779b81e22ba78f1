import type { LanguageModelV4 } from "@ai-sdk/provider"
import { createAgent } from "../../src/agent/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { longSession } from "./long-session.ts"

/** Goes on with the recorded session until the model is asked; resolves with the number of messages that it got. */
export async function openToFirstRequest(home: string): Promise<number> {
  await using keep = await openToolkeep({ host: "memory", home, record: true })
  let messages = 0
  const stop = new AbortController()
  const model: LanguageModelV4 = {
    ...{ specificationVersion: "v4", provider: "scripted", modelId: "script", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("Only streams are scripted.")),
    async doStream({ prompt }) {
      messages = prompt.length
      stop.abort()
      throw new Error("The run was ended.")
    },
  }
  const { signal } = stop
  await createAgent({ model }).resume(keep.session(longSession.name), { signal }).result
  if (messages < 40) throw new Error(`The request had ${messages} messages.`)
  return messages
}
