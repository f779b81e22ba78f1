import {
  ClientCredentialsProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  fetchToken,
  OAuthError,
  refreshAuthorization,
} from "@modelcontextprotocol/client"
import type { HttpServer } from "../../../config/index.ts"
import { limits, ToolFailure } from "../../../contract/index.ts"
import type { Secrets } from "../../../kit/index.ts"
import type { Entrance } from "../connection/http-transport.ts"
import { findAuthorization } from "./find-authorization.ts"
import type { Login, Logins } from "./logins.ts"
import { NeedsLogin } from "./needs-login.ts"
import { configuredClient, readClient } from "./oauth-client.ts"
import { oauthProblem } from "./oauth-fetch.ts"
import { requireTokens } from "./require-tokens.ts"

export interface AccessParts {
  readonly logins: Logins
  readonly environment: NodeJS.ProcessEnv
  /** Told of every token, so that none comes back in a message. */
  readonly secrets: Secrets
}

/** How a session's requests to a server get in; nobody is asked anything here. */
export function sessionAccess(server: HttpServer, parts: AccessParts): Entrance | undefined {
  switch (server.access.kind) {
    case "headers":
      return undefined
    case "login":
      return loginAccess(server, parts)
    case "credentials":
      return credentialsAccess(server, parts)
    default:
      return server.access satisfies never
  }
}

/** With the tokens of the last login, renewed for as long as that goes. */
function loginAccess(server: HttpServer, parts: AccessParts): Entrance {
  const { logins, secrets } = parts
  const refused = new WeakMap<Response, string>()
  return {
    async token() {
      const login = await logins.read(server)
      addTokens(secrets, login)
      return login?.tokens?.access_token
    },
    onRefusal(response, authorization) {
      if (authorization !== null) refused.set(response, authorization)
    },
    async onUnauthorized({ response }) {
      requireChallenge(server, response)
      // Renewing takes the token that it uses out of service, so two must not do it at once.
      const release = await logins.alone(server)
      try {
        const login = await logins.read(server)
        const token = login?.tokens?.access_token
        // Another request or process was quicker.
        if (token !== undefined && refused.get(response) !== `Bearer ${token}`) return
        addTokens(secrets, login)
        await renew(server, { ...parts, login, response })
      } finally {
        release()
      }
    },
  }
}

function addTokens(secrets: Secrets, login: Login | null): void {
  const { tokens, client } = login ?? {}
  secrets.add("access token", tokens?.access_token ?? "")
  secrets.add("refresh token", tokens?.refresh_token ?? "")
  if (client && "client_secret" in client) secrets.add("client_secret", client.client_secret ?? "")
}

/** Only a server that says so wants a login; others have other ways to refuse. */
function requireChallenge({ access }: HttpServer, response: Response): void {
  if (access.kind === "login" && !access.isCertain && !response.headers.has("www-authenticate")) {
    throw new ToolFailure({
      kind: "unavailable",
      message: "It refuses every request (401): name its headers in toolkeep.yaml, or auth: oauth.",
      retryable: false,
    })
  }
}

interface Renewal extends AccessParts {
  readonly login: Login | null
  readonly response: Response
}

async function renew(server: HttpServer, renewal: Renewal): Promise<void> {
  const { logins, environment, secrets, login, response } = renewal
  const tokens = login?.tokens
  const client = configuredClient(readClient(server, environment), login) ?? login?.client
  await rememberChallenge(server, logins, response)
  if (!tokens?.refresh_token || !client) throw needsLogin(server, tokens ? "another" : "a")
  try {
    const found = await findAuthorization(server, response)
    if (found.issuer !== tokens.issuer) throw needsLogin(server, "another")
    const { url, metadata, issuer, resource, fetchFn } = found
    const fresh = await refreshAuthorization(url, {
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      fetchFn,
      ...(metadata && { metadata }),
      ...(resource !== undefined && { resource }),
    })
    const { scope } = tokens
    const kept = { ...(scope !== undefined && { scope }), ...requireTokens(fresh), issuer }
    await logins.change(server, (one) => ({ ...one, tokens: kept }))
  } catch (error) {
    if (error instanceof NeedsLogin) throw error
    if (OAuthError.isInstance(error) && error.code !== "server_error") {
      throw needsLogin(server, "another")
    }
    const message = `Its login could not be renewed: ${oauthProblem(error, secrets)}`
    throw new ToolFailure({ kind: "unavailable", message })
  }
}

async function rememberChallenge(
  server: HttpServer,
  logins: Logins,
  response: Response,
): Promise<void> {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  const { asked } = (await logins.read(server)) ?? {}
  const metadata = resourceMetadataUrl?.href ?? asked?.metadata
  const all = joinScopes(asked?.scope, scope)
  if (asked && metadata === asked.metadata && all === asked.scope) return
  await logins.change(server, (login) => ({ ...login, asked: { metadata, scope: all } }))
}

/** A server that always wants more is not followed for ever. */
function joinScopes(before: string | undefined, scope: string | undefined): string | undefined {
  const all = computeScopeUnion(before, scope)
  return all === undefined || all.length <= limits.bridge.scopeCharacters ? all : before
}

/** A call wanted more than the login gives; the next login asks for it as well. */
export async function needsScope(
  server: HttpServer,
  logins: Logins,
  scope: string | undefined,
): Promise<NeedsLogin> {
  await logins.change(server, (login) => {
    const before = computeScopeUnion(login.asked?.scope, login.tokens?.scope)
    return { ...login, asked: { ...login.asked, scope: joinScopes(before, scope) } }
  })
  return needsLogin(server, "another")
}

export function needsLogin({ name }: HttpServer, which: "a" | "another"): NeedsLogin {
  return new NeedsLogin(`It needs ${which} login. A person has to run: toolkeep mcp login ${name}`)
}

/** As itself: the tokens are of this session alone, and a new one is asked for when one is refused. */
function credentialsAccess(server: HttpServer, { environment, secrets }: AccessParts): Entrance {
  let token: string | undefined
  return {
    token: async () => token,
    async onUnauthorized({ response }) {
      const { client_id = "", client_secret = "", scope, issuer } = readClient(server, environment)
      try {
        const found = await findAuthorization(server, response)
        const provider = new ClientCredentialsProvider({
          clientId: client_id,
          clientSecret: client_secret,
          expectedIssuer: issuer ?? found.issuer,
        })
        const wanted = scope ?? found.scope
        const tokens = await fetchToken(provider, found.url, {
          fetchFn: found.fetchFn,
          ...(found.metadata && { metadata: found.metadata }),
          ...(found.resource !== undefined && { resource: found.resource }),
          ...(wanted !== undefined && { scope: wanted }),
        })
        token = requireTokens(tokens).access_token
        secrets.add("access token", token)
      } catch (error) {
        const message = `It does not let Toolkeep in: ${oauthProblem(error, secrets)}`
        throw new ToolFailure({ kind: "unavailable", message })
      }
    },
  }
}
