import type { SandboxApi } from "../sandbox-api/sandbox-api.ts"
import { readJson, readJsonValue } from "../server/read-arguments.ts"
import { describeNetwork, readNetworkPolicy, readRules, withRules } from "./network-policy.ts"
import {
  apiName,
  badRequest,
  type Handler,
  json,
  listOfTexts,
  type OpenSandboxRequest,
} from "./request.ts"

async function sandboxesOf({ id }: OpenSandboxRequest, { sandboxes }: SandboxApi) {
  const { session } = await sandboxes.use(apiName, id)
  const all = session.sandboxes
  const network = all.list().find(({ name }) => name === "default")?.network ?? { kind: "none" }
  return { all, network }
}

function answer(network: Parameters<typeof describeNetwork>[0]): Response {
  const mode = network.kind === "full" ? "allow_all" : "deny_all"
  return json({ status: "ok", mode, policy: describeNetwork(network) })
}

export const getPolicy: Handler = async (request, api) =>
  answer((await sandboxesOf(request, api)).network)

/** In the place of the whole policy. The bounds of the server's own policy hold here too. */
export const setPolicy: Handler = async (request, api) => {
  const { all } = await sandboxesOf(request, api)
  const network = readNetworkPolicy(await readJson(request.raw))
  await all.setNetwork("default", network)
  return answer(network)
}

export const patchPolicy: Handler = async (request, api) => {
  const { all, network } = await sandboxesOf(request, api)
  const changed = withRules(network, readRules(await readJsonValue(request.raw)))
  await all.setNetwork("default", changed)
  return answer(changed)
}

export const deleteRules: Handler = async (request, api) => {
  const { all, network } = await sandboxesOf(request, api)
  const targets = await readJsonValue(request.raw)
  if (!listOfTexts.is(targets)) throw badRequest("The body has to be a list of names.")
  if (network.kind !== "allow-list") return answer(network)
  const domains = network.domains.filter((domain) => !targets.includes(domain))
  const changed =
    domains.length === 0 ? ({ kind: "none" } as const) : { kind: network.kind, domains }
  await all.setNetwork("default", changed)
  return answer(changed)
}
