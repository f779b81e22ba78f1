import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client"
import type { HttpServer, OAuthClient } from "../../../config/index.ts"
import { createId } from "../../../kit/index.ts"
import { configuredClient, requireTokens } from "./authorization.ts"
import type { Logins } from "./logins.ts"

export interface LoginProviderOptions {
  readonly server: HttpServer
  readonly logins: Logins
  readonly client: OAuthClient
  /** Where the browser comes back to. */
  readonly redirect: string
  /** What the browser has to bring back. */
  readonly state: string
}

/** One login: its state ends with it, and its tokens are stored. */
export function loginProvider(options: LoginProviderOptions) {
  const { server, logins, client, redirect, state } = options
  let address: URL | null = null
  let verifier = ""
  let discovery: OAuthDiscoveryState | undefined
  const isConfigured = client.client_id !== undefined
  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: {
      client_name: "Toolkeep",
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(client.scope !== undefined && { scope: client.scope }),
    },
    state: () => state,
    async clientInformation() {
      const login = await logins.read(server)
      return configuredClient(client, login) ?? registeredFor(redirect, login?.client)
    },
    ...(!isConfigured && {
      saveClientInformation: (information: StoredOAuthClientInformation) =>
        logins.change(server, (login) => ({ ...login, client: information })),
    }),
    tokens: () => undefined,
    saveTokens: (tokens) => {
      const usable = requireTokens(tokens)
      return logins.change(server, (one) => ({ ...one, id: createId("login"), tokens: usable }))
    },
    redirectToAuthorization: (url) => {
      address = url
    },
    saveCodeVerifier: (code) => {
      verifier = code
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => {
      discovery = found
    },
    discoveryState: () => discovery,
  }
  /** Where a person logs in, once that is known. */
  return { provider, address: () => address }
}

/** Many authorization servers send a browser back only to the very address that was registered. */
function registeredFor(
  redirect: string,
  client: StoredOAuthClientInformation | undefined,
): StoredOAuthClientInformation | undefined {
  const addresses: unknown = client && "redirect_uris" in client ? client.redirect_uris : undefined
  return Array.isArray(addresses) && addresses.includes(redirect) ? client : undefined
}
