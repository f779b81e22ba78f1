import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client"
import type { HttpServer, OAuthClient } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { fillInTexts } from "../connection/fill-in-variables.ts"
import type { Login } from "./logins.ts"
import { oauthFetch } from "./oauth-fetch.ts"

/** The authorization server that an answer 401 leads to, what its tokens are for, and the scope that was asked for. */
export async function findAuthorization({ url, access }: HttpServer, response: Response) {
  const fetchFn = loginFetch({ url, access })
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  const found = await discoverOAuthServerInfo(url, {
    fetchFn,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  })
  const resource = found.resourceMetadata?.resource
  const isForThis =
    resource === undefined ||
    checkResourceAllowed({ requestedResource: url, configuredResource: resource })
  if (!isForThis) throw new Error("Its metadata describes another server.")
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = found
  const issuer = metadata?.issuer ?? String(authorizationServerUrl)
  const request = {
    fetchFn,
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
  }
  return { url: String(authorizationServerUrl), issuer, scope, request }
}

/** Reaches the hosts that the configuration names, and public ones. */
export function loginFetch({ url, access }: Pick<HttpServer, "url" | "access">): typeof fetch {
  const { issuer }: OAuthClient = access.kind === "headers" ? {} : access.client
  return oauthFetch([url, ...(issuer === undefined ? [] : [new URL(issuer)])])
}

/** Toolkeep as a client of this server according to toolkeep.yaml, with its variables filled in. */
export function readClient({ access }: HttpServer, environment: NodeJS.ProcessEnv): OAuthClient {
  if (access.kind === "headers") return {}
  return fillInTexts({ ...access.client }, { what: "oauth", environment })
}

/**
 * The registration that toolkeep.yaml names; undefined when it names none. Without an issuer, the first one that
 * issued tokens is the only one that ever gets the secret.
 */
export function configuredClient(
  { client_id, client_secret, issuer }: OAuthClient,
  login: Login | null,
): StoredOAuthClientInformation | undefined {
  if (client_id === undefined) return undefined
  const bound = issuer ?? login?.tokens?.issuer
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(bound !== undefined && { issuer: bound }),
  }
}

/** Any other character would be refused by fetch, with the token in the message, or start another header. */
const sendable = /^[!-~]+$/

/** Tokens that can be sent; throws a ToolFailure for others. */
export function requireTokens<Tokens extends OAuthTokens>(tokens: Tokens): Tokens {
  const { access_token: access, refresh_token: refresh = "", token_type: type } = tokens
  const isSendable = sendable.test(access) && access.length <= bridgeLimits.tokenCharacters
  if (isSendable && refresh.length <= bridgeLimits.tokenCharacters && /^bearer$/i.test(type)) {
    return tokens
  }
  throw new ToolFailure({
    kind: "execution_error",
    message: "Its authorization server issued a token that can't be used.",
  })
}
