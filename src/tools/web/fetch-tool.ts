import {
  choice,
  defineTool,
  type InferSchema,
  integer,
  limits,
  object,
  showLines,
  text,
} from "../../contract/index.ts"
import { createEgressGuard } from "../../sandbox/index.ts"
import { artifactSchema, showArtifact } from "../artifact-result.ts"
import { webLimits } from "../limits.ts"
import { missingPackages } from "../missing-packages.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"

const inputSchema = object({
  url: text('Such as "https://example.com/docs".', {
    maxLength: webLimits.urlCharacters,
  }),
  method: choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], 'Such as "POST".'),
  headers: {
    type: "object",
    patternProperties: {
      "^[^\\s:]{1,200}$": { type: "string", minLength: 0 },
    },
    maxProperties: webLimits.headers,
    additionalProperties: false,
    default: {},
    description: 'Such as {"Content-Type": "application/json"}.',
  },
  "body?": text('Such as "name=Ada"; not for GET and HEAD.', { minLength: 0 }),
  timeout_ms: integer("Milliseconds in all.", {
    minimum: 1,
    maximum: webLimits.timeoutMsMost,
    default: webLimits.timeoutMs,
  }),
  max_bytes: integer("Read at most so much, decompressed, such as 1000000.", {
    minimum: 1,
    maximum: webLimits.bytesMost,
    default: webLimits.bytes,
  }),
  format: choice(
    ["markdown", "text", "html", "raw"],
    'What an HTML page becomes: its main part as markdown, text or html, or its source, "raw".',
  ),
})

export type FetchInput = InferSchema<typeof inputSchema>

const outputSchema = object({
  kind: { const: "page" },
  url: { type: "string", description: "As it was asked for." },
  final_url: { type: "string", description: "After redirects." },
  status: { type: "integer" },
  status_text: { type: "string" },
  content_type: { type: "string" },
  "title?": { type: "string" },
  "page_count?": { type: "integer", description: "Of a PDF." },
  format: { type: "string", enum: ["markdown", "text", "html", "raw", "binary"] },
  text: { type: "string" },
  bytes: { type: "integer", description: "Read of the body, decompressed." },
  truncated: {
    type: "boolean",
    description: "Whether something of the body or the text is left out.",
  },
  headers: { type: "object", additionalProperties: { type: "string" } },
  redirects: {
    type: "array",
    items: object({
      url: { type: "string" },
      status: { type: "integer" },
    }),
  },
  "artifact?": artifactSchema,
})

export type FetchResult = InferSchema<typeof outputSchema>

/**
 * web.fetch: one HTTP request. Pages are read outside any sandbox, so `settings.network` guards them. Whatever status a server answers with is a
 * result, not a failure.
 */
export function fetchTool(
  { settings, version, artifacts, limits: held }: ToolDeps,
  work: SessionWork,
) {
  const reach = createEgressGuard(settings.network)
  return defineTool({
    name: "web.fetch",
    title: "Fetch a page",
    description:
      "Sends an HTTP request and answers with the page: HTML as markdown, the text of a PDF, other text as it is; " +
      "anything else becomes an artifact. A status such as 404 is a result: look at it. " +
      `Redirects are followed; private addresses are refused. Text over ${held.textBytes} bytes keeps its head and tail. ` +
      'Example: {"url": "https://example.com/docs", "timeout_ms": 20000}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["web"],
    effects: ["network"],
    // Later than its own deadline, whose answer says more.
    timeoutMs: webLimits.timeoutMsMost + limits.toolTimeoutMs,
    unavailableReason: missingPackages("web.fetch", ["undici", "defuddle", "linkedom", "unpdf"]),
    async run(input, context) {
      const { fetchPage } = await import("./fetch-page.ts")
      return fetchPage(input, {
        ...{ reach, version, artifacts, work, context },
        textBytes: held.textBytes,
      })
    },
    show: showFetched,
  })
}

/** "200 OK · Title · https://example.com/ · text/html", the headers that matter, and the page. */
function showFetched(page: FetchResult): string {
  const { headers = {}, redirects = [], page_count: pages, artifact } = page
  const status = `${page.status} ${page.status_text ?? ""}`.trim()
  return showLines(
    [status, page.title, page.final_url, page.content_type].filter(Boolean).join(" · "),
    ...redirects.map((one) => `[redirected with ${one.status} from ${one.url}]`),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    pages !== undefined && `${pages} pages`,
    artifact && showArtifact(artifact),
    page.text || (artifact ? "" : "No text."),
    page.truncated && `[cut: ${page.bytes} bytes were read]`,
  )
}
