import type { ServerRoute } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { hostNames, openHost, version } from "../../session/index.ts"
import { readProof } from "../../store/index.ts"
import type { ApiDeps, Handlers } from "./handler.ts"

export function serverHandlers(deps: ApiDeps): Handlers<ServerRoute> {
  const { toolkeep, tokens, codes, connections, proofs } = deps
  return {
    async "server.show"() {
      const { name, summary, can } = toolkeep.host
      return { version, host: name, summary, fallback: toolkeep.fallback, can }
    },
    "server.connections": async () => connections(),
    async "hosts.list"() {
      return { hosts: await Promise.all(hostNames.map((name) => describeHost(deps, name))) }
    },
    async "hosts.prove"({ host }) {
      return { started: proofs.start(requireHost(host)) }
    },
    "hosts.watch": async ({ host }, { signal }) => proofs.watch(requireHost(host), signal),
    async "tokens.list"() {
      const listed = tokens.list()
      return {
        tokens: listed.map(({ id, name, kind, isDevice = false, ...token }) => ({
          ...{ token: id, name, kind, is_device: isDevice, session: token.session },
          ...{ created_ms: token.createdMs, expires_ms: token.expiresMs, used_ms: token.usedMs },
        })),
      }
    },
    async "tokens.create"({ name, kind, session = null, expires_after_ms: lifeMs }) {
      const { id, secret } = await tokens.create({ name, kind, session, lifeMs })
      return { token: id, secret }
    },
    async "tokens.revoke"({ token }) {
      return { revoked: await tokens.revoke(token) }
    },
    async "codes.create"() {
      return { code: codes.create(true) }
    },
    async "codes.redeem"({ code, name }) {
      if (!codes.redeem(code)) {
        throw new ToolFailure({
          kind: "rejected",
          message: "The code is not valid: each works once, within ten minutes. Get another one.",
          field: "code",
        })
      }
      const { id, secret } = await tokens.create({
        ...{ name, kind: "owner", session: null, isDevice: true },
      })
      return { token: id, secret }
    },
  }
}

function requireHost(name: string): string {
  if (hostNames.some((known) => known === name)) return name
  const message = `There is no host ${JSON.stringify(name)}: there are ${hostNames.join(", ")}.`
  throw new ToolFailure({ kind: "not_found", message, field: "host" })
}

async function describeHost({ toolkeep, home }: ApiDeps, name: string) {
  const isUsed = toolkeep.host.name === name
  const host = isUsed ? toolkeep.host : (await openHost(name, { home })).host
  const status = await host.probe()
  const proof = readProof(home, name)
  return {
    ...{ host: name, summary: host.summary, is_used: isUsed, can: host.can },
    why_not: status.kind === "ready" ? null : `${status.reason} ${status.remedy}`,
    proof: proof && {
      ...{ version: proof.version, at_ms: proof.at },
      checks: proof.checks.map(({ id, ...check }) => ({ check: id, ...check })),
    },
    prove_with: `toolkeep conform --host ${name}`,
  }
}
