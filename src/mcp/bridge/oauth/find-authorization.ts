import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
} from "@modelcontextprotocol/client"
import type { HttpServer, OAuthClient } from "../../../config/index.ts"
import { oauthFetch } from "./oauth-fetch.ts"

/** Who gives out tokens for a server. */
export interface Authorization {
  readonly url: string
  readonly issuer: string
  readonly metadata: AuthorizationServerMetadata | undefined
  /** What the tokens are for. */
  readonly resource: string | undefined
  /** What the server's answer asks for. */
  readonly scope: string | undefined
  readonly fetchFn: typeof fetch
}

/** Follows a server's refusal to who gives out tokens for it. */
export async function findAuthorization(
  { url, access }: HttpServer,
  response: Response,
): Promise<Authorization> {
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
  return { url: String(authorizationServerUrl), issuer, metadata, resource, scope, fetchFn }
}

/** Reaches the hosts that a person named, and public ones. */
export function loginFetch({ url, access }: Pick<HttpServer, "url" | "access">): typeof fetch {
  const { issuer }: OAuthClient = access.kind === "headers" ? {} : access.client
  return oauthFetch([url, ...(issuer === undefined ? [] : [new URL(issuer)])])
}
