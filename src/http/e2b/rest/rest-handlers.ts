import type { InferSchema } from "../../../contract/index.ts"
import type { Token } from "../../access/token-store.ts"
import { httpLimits } from "../../limits.ts"
import type { SandboxApi } from "../../sandbox-api/sandbox-api.ts"
import type { StoredSandbox } from "../../sandbox-api/stored-sandboxes.ts"
import type { EnvdAccess } from "../envd-access.ts"
import {
  baseTemplate,
  describeSandbox,
  detailsOf,
  type E2bDetails,
  envdVersion,
} from "./describe-sandbox.ts"
import { choosePage } from "./list-sandboxes.ts"
import { measureSandbox } from "./measure-sandbox.ts"
import { Conflict, NotServed } from "./refuse.ts"
import type { RestName, restRoutes } from "./rest-routes.ts"

/** The sandboxes of this API are known by this name. */
export const apiName = "e2b"

export interface RestAnswer {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Input<Name extends RestName> = InferSchema<(typeof restRoutes)[Name]["input"]>

export type RestHandlers = {
  readonly [Name in RestName]: (input: Input<Name>, token: Token) => Promise<RestAnswer>
}

/** The life of sandboxes, as E2B's API has it. */
export function restHandlers(
  { sandboxes, clock, toolkeep, access }: SandboxApi,
  envdAccess: EnvdAccess,
): RestHandlers {
  const { can } = toolkeep.host
  const find = async (id: string, token: Token) => {
    await access.requireSession(token, id)
    return sandboxes.find(apiName, id)
  }
  const after = (seconds: number | undefined) =>
    clock.now() + (seconds === undefined ? httpLimits.e2bLifeMs : seconds * 1000)
  /** What a client needs to use a sandbox. */
  const opened = (sandbox: StoredSandbox, token: Token) => ({
    ...{ sandboxID: sandbox.id, templateID: detailsOf(sandbox).template, clientID: "toolkeep" },
    ...{ envdVersion, envdAccessToken: envdAccess.issue(token, sandbox.id) },
  })
  /** One that asks for all of the network gets that or nothing. */
  async function requireNetwork({ id }: StoredSandbox): Promise<void> {
    const { session } = await sandboxes.use(apiName, id)
    const [own] = session.sandboxes.list().filter(({ name }) => name === "default")
    if (own?.network.kind === "full") return
    await sandboxes.remove(apiName, id)
    throw new NotServed(
      "Sandboxes of this server have the network that its configuration gives them. Leave out allowInternetAccess.",
    )
  }

  return {
    async create(input, token) {
      requireServed(input)
      if (input.autoPause && !can.sleep) {
        throw new NotServed(`The sandboxes of the ${can.host} host can't be paused.`)
      }
      await access.requireSession(token, null)
      const { templateID: template } = input
      const details: E2bDetails = { template, resumes: input.autoResume?.enabled === true }
      const sandbox = await sandboxes.create({
        ...{ api: apiName, env: input.envVars, metadata: input.metadata, details: { ...details } },
        image: template === baseTemplate ? undefined : template,
        network: input.allow_internet_access === false ? { kind: "none" } : undefined,
        lifeMs: after(input.timeout) - clock.now(),
        pausesAtEnd: input.autoPause,
      })
      if (input.allow_internet_access) await requireNetwork(sandbox)
      return { body: opened(sandbox, token) }
    },
    async list(query, { session }) {
      const all = await sandboxes.list(apiName)
      const own = all.filter(({ id }) => session === null || session === id)
      const page = choosePage(own, query)
      return {
        body: page.sandboxes.map((sandbox) => describeSandbox(sandbox, can)),
        ...(page.next !== null && { headers: { "X-Next-Token": page.next } }),
      }
    },
    async connect({ id, timeout }, token) {
      await find(id, token)
      const ends = after(timeout)
      const sandbox = await sandboxes.resume(apiName, id, (now) =>
        now.isPaused ? { expiresMs: ends } : noShorter(now, ends),
      )
      return { body: opened(sandbox, token) }
    },
    async show({ id }, token) {
      return { body: describeSandbox(await find(id, token), can) }
    },
    async kill({ id }, token) {
      await find(id, token)
      await sandboxes.remove(apiName, id)
      return {}
    },
    async timeout({ id, timeout }, token) {
      await find(id, token)
      await sandboxes.change(apiName, id, () => ({ expiresMs: after(timeout) }))
      return {}
    },
    async refresh({ id, duration }, token) {
      await find(id, token)
      const ends = after(duration)
      await sandboxes.change(apiName, id, (now) => noShorter(now, ends))
      return {}
    },
    async pause({ id, memory }, token) {
      if (memory === true) throw new NotServed("A pause keeps files here, and no memory.")
      await find(id, token)
      // One that rests lives until it is killed.
      const isNew = await sandboxes.pause(apiName, id, () => ({ expiresMs: null }))
      if (!isNew) throw new Conflict(`The sandbox ${id} is paused already.`)
      return {}
    },
    async metrics({ id }, token) {
      await find(id, token)
      const { session } = await sandboxes.use(apiName, id)
      return { body: [await measureSandbox(session, clock)] }
    },
  }
}

/** The time of one that runs is never made shorter. */
function noShorter({ expiresMs }: StoredSandbox, ends: number) {
  return expiresMs !== null && expiresMs < ends ? { expiresMs: ends } : {}
}

/** What a client asks for and would not get is refused, never left out. */
function requireServed(input: Input<"create">): void {
  if (input.mcp)
    throw new NotServed("MCP servers inside sandboxes are not served: this server is one, at /mcp.")
  if (input.iam) throw new NotServed("Workload identities are not served.")
  if (input.volumeMounts?.length) throw new NotServed("Volumes are not served.")
  if (input.autoPauseMemory) throw new NotServed("A pause keeps files here, and no memory.")
  if (input.network && Object.keys(input.network).length > 0) {
    throw new NotServed(
      "Sandboxes of this server have the network that its configuration gives them. Leave out network.",
    )
  }
}
