import type { Network } from "../../contract/index.ts"
import { readJson, readJsonValue } from "../server/read-arguments.ts"
import { describeNetwork, readNetworkPolicy, readRules, withRules } from "./network-policy.ts"
import { apiName, badRequest, type Handler, json, listOfTexts } from "./request.ts"

function answer(network: Network): Response {
  const mode = network.kind === "full" ? "allow_all" : "deny_all"
  return json({ status: "ok", mode, policy: describeNetwork(network) })
}

export const getPolicy: Handler = async ({ id }, { sandboxes }) => {
  const { session } = await sandboxes.use(apiName, id)
  const own = session.sandboxes.list().find(({ name }) => name === "default")
  return answer(own?.network ?? { kind: "none" })
}

/** In the place of the whole policy. The bounds of the server's own policy hold here too. */
export const setPolicy: Handler = async ({ id, raw }, { sandboxes }) => {
  const network = readNetworkPolicy(await readJson(raw))
  return answer(await sandboxes.changeNetwork(apiName, id, () => network))
}

export const patchPolicy: Handler = async ({ id, raw }, { sandboxes }) => {
  const rules = readRules(await readJsonValue(raw))
  return answer(await sandboxes.changeNetwork(apiName, id, (now) => withRules(now, rules)))
}

export const deleteRules: Handler = async ({ id, raw }, { sandboxes }) => {
  const targets = await readJsonValue(raw)
  if (!listOfTexts.is(targets)) throw badRequest("The body has to be a list of names.")
  const without = (now: Network): Network => {
    if (now.kind !== "allow-list") return now
    const domains = now.domains.filter((domain) => !targets.includes(domain))
    return domains.length === 0 ? { kind: "none" } : { kind: now.kind, domains }
  }
  return answer(await sandboxes.changeNetwork(apiName, id, without))
}
