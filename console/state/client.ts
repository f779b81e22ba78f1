import { signal } from "@preact/signals"
import { type ApiClient, ApiError, createClient } from "../../src/api/index.ts"
import { fetchEvents } from "./event-socket.ts"

/** What the page is in, before any view. */
export type PageState =
  | { readonly kind: "starting" }
  | { readonly kind: "signed-out"; readonly why: string | null }
  | { readonly kind: "live" }
  | { readonly kind: "offline"; readonly sinceMs: number }

export const page = signal<PageState>({ kind: "starting" })

/** Whether the server has said that it stops. */
export const isStopping = signal(false)

/** The version of the server when this page was loaded, and the one that it has now. */
export const servedVersion = signal<{ readonly atLoad: string; readonly now: string }>({
  atLoad: "",
  now: "",
})

/** The storage of an origin belongs to its port too, which a cookie does not. */
const tokenKey = "toolkeep-token"
/** The id of that token, which does not reveal it. */
const deviceKey = "toolkeep-device"

let current: ApiClient | null = null

/** The client of the device that is signed in. Views are drawn only while there is one. */
export function client(): ApiClient {
  if (!current) throw new Error("No device is signed in.")
  return current
}

/** Whether buttons that act can do so; the reason where they can't. */
export function whyNotNow(): string | undefined {
  return page.value.kind === "live" ? undefined : "The server can't be reached at the moment."
}

/** Signs in with the code in the address, or with the token that this browser has. */
export async function signIn(): Promise<void> {
  const code = /^#in-([\w-]+)$/.exec(location.hash)?.[1]
  // The address must not keep a code, also one that is not valid any more.
  if (code !== undefined) history.replaceState(null, "", location.pathname)
  const refusal = code === undefined ? null : await redeem(code)
  const token = localStorage.getItem(tokenKey)
  if (token === null) {
    page.value = { kind: "signed-out", why: refusal }
    return
  }
  current = createClient({ url: location.origin, token, fetch: observedFetch })
  await readVersion().then(
    () => {
      page.value = { kind: "live" }
    },
    (error: unknown) => {
      if (isRefused(error)) signOut("This device was signed out.")
      else page.value = { kind: "offline", sinceMs: Date.now() }
    },
  )
}

/** The id of this device's token. */
export function thisDevice(): string | null {
  return localStorage.getItem(deviceKey)
}

export function reload(): void {
  location.reload()
}

async function readVersion(): Promise<void> {
  const { version } = await client().request("server.show", {})
  servedVersion.value = { atLoad: servedVersion.peek().atLoad || version, now: version }
}

export function signOut(why: string | null): void {
  localStorage.removeItem(tokenKey)
  localStorage.removeItem(deviceKey)
  current = null
  page.value = { kind: "signed-out", why }
}

/** Why the code was refused; null when this device is signed in. */
async function redeem(code: string): Promise<string | null> {
  const stranger = createClient({ url: location.origin })
  try {
    const answer = await stranger.request("codes.redeem", { code, name: deviceName() })
    localStorage.setItem(tokenKey, answer.secret)
    localStorage.setItem(deviceKey, answer.token)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const send: typeof fetch = async (input, init) => {
  const isStream = new Headers(init?.headers).get("Accept") === "text/event-stream"
  if (!isStream || !(input instanceof URL)) return fetch(input, init)
  const response = await fetchEvents(input, init ?? {})
  // A server that stops says so again on each stream.
  if (response.ok) isStopping.value = false
  return response
}

/** Every request tells whether the server can be reached. */
const observedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await send(input, init)
    if (page.value.kind === "starting") page.value = { kind: "live" }
    if (page.value.kind === "offline") {
      page.value = { kind: "live" }
      // What came back may be another version.
      readVersion().catch(() => {})
    }
    if (response.status === 401) signOut("This device was signed out.")
    return response
  } catch (error) {
    if (!init?.signal?.aborted && page.value.kind === "live") {
      page.value = { kind: "offline", sinceMs: Date.now() }
    }
    throw error
  }
}

export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

function deviceName(): string {
  const { userAgent } = navigator
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0] ?? "Browser"
  const system = /Windows|Mac OS|Android|iPhone|iPad|Linux/.exec(userAgent)?.[0] ?? "a device"
  return `${browser === "Edg" ? "Edge" : browser} on ${system}`
}
