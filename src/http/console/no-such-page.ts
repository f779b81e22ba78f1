import { createHash } from "node:crypto"

const style =
  "body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 20vh auto 0; padding: 0 1rem }"

/** It repeats nothing of the address, which others may have written. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>No such page · Toolkeep</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>There is no such page</h1>
      <p>This is a server of Toolkeep, and it has nothing at this address. <a href="/">Open the console</a></p>
    </main>
  </body>
</html>
`

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** What a person reads in a browser at an address that leads to nothing; null for programs, which want no page. */
export function noSuchPage(
  request: Request,
  headers: Readonly<Record<string, string>>,
): Response | null {
  if (!/\btext\/html\b/i.test(request.headers.get("accept") ?? "")) return null
  return new Response(page, {
    status: 404,
    headers: {
      ...headers,
      "Content-Security-Policy": policy,
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
    },
  })
}
