import { readFile } from "node:fs/promises"
import type { HttpApp } from "../../mcp/index.ts"
import { framesAt } from "../artifacts/artifact-pages.ts"
import { consoleDirectory } from "./console-directory.ts"
import { noSuchPage } from "./no-such-page.ts"

/** The pages of the console; all are the same file, which draws what its address says. */
const pages = ["/", "/waiting", "/s/*", "/b/*", "/try", "/policy", "/hosts", "/settings"]

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
}

/**
 * Nothing from outside runs in the console's pages, whatever a tool, a model or a file says: scripts and styles are files
 * of this server, and no text becomes markup.
 */
const policyAt = (host: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob:",
    "font-src 'self'",
    `frame-src http://*.localhost:* ${framesAt(host)}`.trimEnd(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ")

/** A pattern draws pictures that its steps made; it has no frames. */
const patternPolicyAt = (host: string) =>
  policyAt(host)
    .replace("blob:", "data:")
    .replace(/frame-src [^;]+; /, "")

const securityHeaders = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
}

/** Adds the console. `refuseHost` is asked before anything is served. */
export function serveConsole(
  app: HttpApp,
  refuseHost: (request: Request) => Response | undefined,
): void {
  const serve = async (request: Request, name: string) => {
    const stranger = refuseHost(request) ?? foreignUse(request)
    if (stranger) return stranger
    return (await fileResponse(request, name)) ?? notBuilt()
  }
  const servePage = (path: string, name: string) =>
    app.get(path, async ({ req }, next) => (isReadable(req.url) ? serve(req.raw, name) : next()))
  for (const path of pages) servePage(path, "index.html")
  servePage("/p/:pattern", "pattern.html")
  for (const folder of ["assets", "icons"]) {
    app.get(`/${folder}/:name{[\\w.-]+}`, ({ req }) =>
      serve(req.raw, `${folder}/${req.param("name")}`),
    )
  }
}

/** An address whose escapes say nothing names no session and no pattern. */
function isReadable(url: string): boolean {
  try {
    decodeURIComponent(new URL(url).pathname)
    return true
  } catch {
    return false
  }
}

/** Adds a page for addresses that lead to nothing, after everything else that is served. */
export function serveNoSuchPage(app: HttpApp): void {
  app.get("*", async ({ req }, next) => {
    const page = noSuchPage(req.raw, securityHeaders)
    return page ? (foreignUse(req.raw) ?? page) : next()
  })
}

/** Other sites may lead a person to a page, and use nothing of it. */
function foreignUse({ headers }: Request): Response | null {
  const site = headers.get("sec-fetch-site")
  const isOwn = site === null || site === "same-origin" || site === "none"
  const isNavigation =
    headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document"
  if (isOwn || isNavigation) return null
  return new Response("Requests of other pages are refused.\n", { status: 403 })
}

async function fileResponse(request: Request, name: string): Promise<Response | null> {
  const directory = consoleDirectory()
  const mediaType = mediaTypes[name.slice(name.lastIndexOf(".") + 1)]
  if (directory === null || mediaType === undefined) return null
  const takesBrotli = /\bbr\b/.test(request.headers.get("accept-encoding") ?? "")
  const packed = takesBrotli ? await bytesOf(new URL(`${name}.br`, directory)) : null
  const bytes = packed ?? (await bytesOf(new URL(name, directory)))
  if (!bytes) return null
  // The names of assets change with their content.
  const caching = name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache"
  const host = request.headers.get("host") ?? ""
  return new Response(bytes, {
    headers: {
      ...securityHeaders,
      "Content-Security-Policy": name === "pattern.html" ? patternPolicyAt(host) : policyAt(host),
      "Content-Type": mediaType,
      "Cache-Control": caching,
      Vary: "Accept-Encoding",
      ...(packed && { "Content-Encoding": "br" }),
    },
  })
}

async function bytesOf(file: URL): Promise<Uint8Array<ArrayBuffer> | null> {
  return readFile(file).catch(() => null)
}

function notBuilt(): Response {
  const text = "The console has no such file. In a checkout of Toolkeep, npm run build makes it.\n"
  return new Response(text, { status: 404, headers: { "Content-Type": "text/plain" } })
}
