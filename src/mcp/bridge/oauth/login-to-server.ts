import { randomBytes } from "node:crypto"
import { auth, computeScopeUnion, extractWWWAuthenticateParams } from "@modelcontextprotocol/client"
import { type HttpServer, isSafeForTokens } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import { bridgeLimits } from "../../limits.ts"
import { serverSecrets } from "../connection/fill-in-variables.ts"
import { httpTransport } from "../connection/http-transport.ts"
import { initialize } from "../connection/server-connection.ts"
import { loginFetch, readClient } from "./authorization.ts"
import { loginProvider } from "./login-provider.ts"
import { type Login, loginsIn } from "./logins.ts"
import { oauthProblem } from "./oauth-fetch.ts"
import { type LoginAnswer, listenForRedirect } from "./redirect-listener.ts"

export interface LoginOptions {
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  /** Where the browser comes back to; the default port when absent, or a free one if that is taken. */
  readonly port?: number | undefined
  /** Called with the address at which a person logs in. */
  readonly onAddress: (address: URL) => void | Promise<void>
  readonly signal: AbortSignal
}

/** Has a person log in to a server, and stores the tokens. Rejects with a ToolFailure. */
export async function loginToServer(server: HttpServer, options: LoginOptions): Promise<void> {
  const { home, environment, port } = options
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(bridgeLimits.loginMs)])
  if (!isSafeForTokens(server.url)) {
    throw rejected(
      `The url of ${server.name} is not https, so the tokens of a login could be intercepted.`,
    )
  }
  const logins = loginsIn(home)
  const client = readClient(server, environment)
  const asked = await findChallenge(server, {
    login: await logins.read(server),
    environment,
    signal,
  })
  const isFixed = port !== undefined || client.client_id !== undefined
  await using listener = await openListener(port ?? bridgeLimits.loginPort, isFixed)
  const state = randomBytes(32).toString("base64url")
  const redirect = listener.address
  const { provider, address: loginAddress } = loginProvider({
    server,
    logins,
    client,
    redirect,
    state,
  })
  const scope =
    client.scope === undefined ? asked.scope : computeScopeUnion(client.scope, asked.missed)
  const request = {
    serverUrl: server.url,
    fetchFn: loginFetch(server),
    ...(asked.metadata !== undefined && { resourceMetadataUrl: new URL(asked.metadata) }),
    ...(scope !== undefined && { scope }),
  }
  try {
    await auth(provider, { ...request, forceReauthorization: true })
    const address = loginAddress()
    if (!address) throw new Error("it names no address to log in at")
    requireWebPage(address)
    // Waits for the browser before the person is shown where to go.
    const answer = listener.answer(state, signal)
    answer.catch(() => {})
    await options.onAddress(address)
    await finish(await answer, (code, iss) =>
      auth(provider, { ...request, authorizationCode: code, ...(iss !== null && { iss }) }),
    )
  } catch (error) {
    throw loginFailure(server, error, { environment, signal })
  }
}

/** A person opens it, and types a password there. */
function requireWebPage(address: URL): void {
  const { username, password, href } = address
  const isPlain =
    username === "" && password === "" && href.length <= bridgeLimits.addressCharacters
  if (isPlain && isSafeForTokens(address)) return
  throw new Error("the address to log in at is not a plain https address")
}

/** Forgets the tokens of a server; false when there were none. */
export function logOutOfServer(server: HttpServer, home: string): Promise<boolean> {
  return loginsIn(home).forget(server)
}

async function finish(
  { params, tell }: LoginAnswer,
  exchange: (code: string, iss: string | null) => Promise<unknown>,
): Promise<void> {
  try {
    const code = params.get("code")
    if (code === null) throw refusal(params.get("error"))
    await exchange(code, params.get("iss"))
    tell("You are logged in. This page can be closed.")
  } catch (error) {
    tell("The login failed; the terminal shows why. This page can be closed.")
    throw error
  }
}

function refusal(said: string | null): ToolFailure {
  const code = said !== null && /^[\w.-]{1,64}$/.test(said) ? said : "no code came back"
  const kind = code === "access_denied" ? "user_denied" : "execution_error"
  return new ToolFailure({ kind, message: `The login was refused: ${code}.` })
}

function loginFailure(
  server: HttpServer,
  error: unknown,
  { environment, signal }: Pick<Finding, "environment" | "signal">,
): ToolFailure {
  const { name } = server
  if (error instanceof ToolFailure) return error
  if (signal.aborted) {
    const message = `Nobody logged in to ${name} in time; run toolkeep mcp login ${name} again.`
    return new ToolFailure({ kind: "timeout", message })
  }
  const message = `The login to ${name} failed: ${oauthProblem(error, serverSecrets(server, environment))}`
  return new ToolFailure({ kind: "execution_error", message })
}

async function openListener(port: number, isFixed: boolean) {
  try {
    return await listenForRedirect(port, isFixed)
  } catch (cause) {
    const message = `Port ${port} of this machine is taken, and the browser must be redirected to it; free it, or use --port.`
    throw new ToolFailure({ kind: "unavailable", message, retryable: false }, { cause })
  }
}

interface Finding {
  readonly login: Login | null
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** How the server asks for a login: now, or when a session was last refused. */
async function findChallenge(server: HttpServer, { login, environment, signal }: Finding) {
  let now: ReturnType<typeof extractWWWAuthenticateParams> | null = null
  const channel = await httpTransport(server, environment, {
    token: async () => undefined,
    async onUnauthorized({ response }) {
      now = extractWWWAuthenticateParams(response)
      throw new Error("This is as far as it goes without a login.")
    },
  })
  const problem = await listTools(channel, signal)
  const heard = now as ReturnType<typeof extractWWWAuthenticateParams> | null
  const isAsked = heard !== null || login?.asked !== undefined
  const isCertain = server.access.kind === "login" && server.access.isCertain
  if (!isAsked && problem !== null) throw loginFailure(server, problem, { environment, signal })
  if (!isAsked && !isCertain) {
    throw rejected(
      `${server.name} accepts requests without a login. To log in anyway, set auth: oauth in toolkeep.yaml.`,
    )
  }
  /** What calls have missed since the last login. */
  const missed = login?.asked?.scope
  return {
    metadata: heard?.resourceMetadataUrl?.href ?? login?.asked?.metadata,
    scope: computeScopeUnion(heard?.scope, missed),
    missed,
  }
}

async function listTools(
  channel: Awaited<ReturnType<typeof httpTransport>>,
  signal: AbortSignal,
): Promise<unknown> {
  const nothing = () => {}
  try {
    const options = { onListChanged: nothing, onEnd: nothing }
    const connection = await initialize(channel, options, { mode: "auto", signal })
    await connection.list(signal).finally(() => connection.close())
    return null
  } catch (error) {
    return error
  }
}

function rejected(message: string): ToolFailure {
  return new ToolFailure({ kind: "rejected", message })
}
