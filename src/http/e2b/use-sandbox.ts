import { ToolFailure } from "../../contract/index.ts"
import { TooManyRequests, Unauthorized } from "../access/authorize.ts"
import type { Token } from "../access/token-store.ts"
import type { UsableSandbox } from "../sandbox-api/api-sandboxes.ts"
import type { SandboxApi } from "../sandbox-api/sandbox-api.ts"
import { ConnectError } from "./connect/connect-error.ts"
import type { EnvdAccess } from "./envd-access.ts"
import type { SignedRequest } from "./files/signed-urls.ts"
import { detailsOf } from "./rest/describe-sandbox.ts"
import { NotServed, SandboxGone } from "./rest/refuse.ts"
import { apiName } from "./rest/rest-handlers.ts"

interface Used {
  readonly sandbox: UsableSandbox
  readonly token: Token
}

/** Finds the sandbox that a request is for, and whether its sender may use it. */
export function createUseSandbox({ sandboxes, clock }: SandboxApi, envdAccess: EnvdAccess) {
  async function open(id: string): Promise<UsableSandbox> {
    try {
      const stored = await sandboxes.find(apiName, id)
      if (stored.isPaused && detailsOf(stored).resumes) await sandboxes.resume(apiName, id)
      return await sandboxes.use(apiName, id)
    } catch (error) {
      if (error instanceof ToolFailure) throw new SandboxGone(error.message, { cause: error })
      throw error
    }
  }
  return {
    /** One that its client names in a header. */
    async byHeader({ headers, url }: Request): Promise<Used> {
      const id = headers.get("e2b-sandbox-id")
      if (id === null) throw noId()
      const token = envdAccess.require(headers.get("x-access-token"), id)
      requireUser(headers, new URL(url))
      return { token, sandbox: await open(id) }
    },
    async bySignature(signed: SignedRequest): Promise<Used> {
      const { token, sandbox } = envdAccess.requireSigned(signed, clock.now())
      requireName(signed.user)
      return { token, sandbox: await open(sandbox) }
    },
    /** The same errors for those who speak the Connect protocol. */
    connectError(error: unknown): unknown {
      if (error instanceof Unauthorized) {
        return new ConnectError("unauthenticated", "The access token is not for this sandbox.")
      }
      if (error instanceof TooManyRequests) {
        return new ConnectError("resource_exhausted", error.message)
      }
      if (error instanceof SandboxGone) return new ConnectError("unavailable", error.message)
      if (error instanceof NotServed) return new ConnectError("unimplemented", error.message)
      return error
    },
  }
}

function noId(): ToolFailure {
  const message =
    "The header E2b-Sandbox-Id is missing: set E2B_SANDBOX_URL to the same address as E2B_API_URL."
  return new ToolFailure({ kind: "invalid_args", message })
}

/** Commands say who they run as in one way, files in another. */
function requireUser(headers: Headers, { searchParams }: URL): void {
  const basic = /^Basic +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? ""
  requireName(Buffer.from(basic, "base64").toString("utf8").split(":", 1)[0] ?? "")
  requireName(searchParams.get("username") ?? "")
}

/** A sandbox has one user, who is not root: what another one was to do is not done as this one. */
function requireName(user: string): void {
  if (user === "" || user === "user") return
  throw new NotServed(
    `Sandboxes of this server have one user, "user". Leave out the user ${JSON.stringify(user.slice(0, 60))}.`,
  )
}
