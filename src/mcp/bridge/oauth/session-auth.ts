import {
  ClientCredentialsProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  fetchToken,
  InsufficientScopeError,
  OAuthError,
  refreshAuthorization,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client"
import type { HttpServer } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import type { Secrets } from "../../../kit/index.ts"
import { bridgeLimits } from "../../limits.ts"
import type { HttpAuth } from "../connection/http-transport.ts"
import { configuredClient, findAuthorization, readClient, requireTokens } from "./authorization.ts"
import type { Login, Logins } from "./logins.ts"
import { oauthProblem } from "./oauth-fetch.ts"

export interface AuthDeps {
  readonly logins: Logins
  readonly environment: NodeJS.ProcessEnv
  /** Gets every token, so that no message quotes one. */
  readonly secrets: Secrets
}

/** A person has to log in to the server, or to log in again. */
class NeedsLogin extends Error {
  override readonly name = "NeedsLogin"
}

/** How a session's requests to a server are authorized, without asking anybody. */
export function sessionAuth(server: HttpServer, deps: AuthDeps): HttpAuth | undefined {
  switch (server.access.kind) {
    case "headers":
      return undefined
    case "login":
      return loginAuth(server, deps)
    case "credentials":
      return credentialsAuth(server, deps)
    default:
      return server.access satisfies never
  }
}

/** With the tokens of the last login, which are renewed as long as possible. */
function loginAuth(server: HttpServer, deps: AuthDeps): HttpAuth {
  const { logins, secrets } = deps
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
      // Renewing invalidates the refresh token, so two must not do it at once.
      const release = await logins.alone(server)
      try {
        const login = await logins.read(server)
        const token = login?.tokens?.access_token
        // Another request or process has renewed it.
        if (token !== undefined && refused.get(response) !== `Bearer ${token}`) return
        addTokens(secrets, login)
        await renew(server, { ...deps, login, response })
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

/** A server that refuses without a challenge does not ask for a login. */
function requireChallenge({ access }: HttpServer, response: Response): void {
  if (access.kind === "login" && !access.isCertain && !response.headers.has("www-authenticate")) {
    throw new ToolFailure({
      kind: "unavailable",
      message: "It refuses every request (401): name its headers in toolkeep.yaml, or auth: oauth.",
      retryable: false,
    })
  }
}

interface Renewal extends AuthDeps {
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
    const { url, issuer, request } = found
    const fresh = await refreshAuthorization(url, {
      ...request,
      clientInformation: client,
      refreshToken: tokens.refresh_token,
    })
    const { scope } = tokens
    const renewed = { ...(scope !== undefined && { scope }), ...requireTokens(fresh), issuer }
    await logins.change(server, (one) => ({ ...one, tokens: renewed }))
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

/** A server that asks for ever more scopes is followed up to a limit. */
function joinScopes(before: string | undefined, scope: string | undefined): string | undefined {
  const all = computeScopeUnion(before, scope)
  return all === undefined || all.length <= bridgeLimits.scopeCharacters ? all : before
}

/** A call needs more than the login gives; the next login asks for it as well. */
async function needsScope(
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

function needsLogin({ name }: HttpServer, which: "a" | "another"): NeedsLogin {
  return new NeedsLogin(`It needs ${which} login. A person has to run: toolkeep mcp login ${name}`)
}

/** The login that a failed request asks for, also in the cause of its error; null when it asks for none. */
export async function wantedLogin(
  error: unknown,
  server: HttpServer,
  logins: Logins,
): Promise<{ readonly login: NeedsLogin; readonly isForAll: boolean } | null> {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof NeedsLogin) return { login: one, isForAll: true }
    if (InsufficientScopeError.isInstance(one)) {
      // Other calls may need less.
      return { login: await needsScope(server, logins, one.requiredScope), isForAll: false }
    }
    if (SdkHttpError.isInstance(one) && one.code === SdkErrorCode.ClientHttpAuthentication) {
      return { login: needsLogin(server, "another"), isForAll: true }
    }
  }
  return null
}

/** As Toolkeep itself: the token is this session's alone, and replaced when it is refused. */
function credentialsAuth(server: HttpServer, { environment, secrets }: AuthDeps): HttpAuth {
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
          ...found.request,
          ...(wanted !== undefined && { scope: wanted }),
        })
        token = requireTokens(tokens).access_token
        secrets.add("access token", token)
      } catch (error) {
        const message = `It did not accept Toolkeep's credentials: ${oauthProblem(error, secrets)}`
        throw new ToolFailure({ kind: "unavailable", message })
      }
    },
  }
}
