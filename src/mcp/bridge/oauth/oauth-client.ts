import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client"
import type { HttpServer, OAuthClient } from "../../../config/index.ts"
import { fillInVariables } from "../config/fill-in-variables.ts"
import type { Login } from "./logins.ts"

/** What toolkeep.yaml says about Toolkeep as a client of this server, with its variables filled in. */
export function readClient({ access }: HttpServer, environment: NodeJS.ProcessEnv): OAuthClient {
  if (access.kind === "headers") return {}
  return fillInVariables({ ...access.client }, { what: "oauth", environment })
}

/**
 * As whom toolkeep.yaml says Toolkeep is registered; undefined when it says nothing. Without a word about
 * the issuer, the first one that gave out tokens is the only one that ever gets the secret.
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
