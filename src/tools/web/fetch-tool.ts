import { defineTool, type InferSchema, limits, showLines } from "../../contract/index.ts"
import { createEgressGuard } from "../../sandbox/index.ts"
import { artifactSchema } from "../artifact-result.ts"
import { webLimits } from "../limits.ts"
import { missingPackages } from "../missing-packages.ts"
import { choice, integer, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import type { SessionWork } from "../work/session-work.ts"

const inputSchema = object({
  url: text('An http:// or https:// address, such as "https://example.com/docs".', {
    maxLength: webLimits.urlCharacters,
  }),
  method: choice(
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"],
    'The HTTP method, such as "POST".',
  ),
  headers: {
    type: "object",
    patternProperties: {
      "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$": { type: "string", minLength: 0 },
    },
    maxProperties: webLimits.headers,
    additionalProperties: false,
    default: {},
    description: 'Request headers, such as {"Content-Type": "application/json"}.',
  },
  "body?": text(
    'The request\'s body as text, such as "{\\"name\\": \\"Ada\\"}". Not for GET and HEAD.',
    { minLength: 0 },
  ),
  timeout_ms: integer("Give up after this many milliseconds in all, such as 30000.", {
    minimum: 1,
    maximum: webLimits.timeoutMsMost,
    default: webLimits.timeoutMs,
  }),
  max_bytes: integer("Read no more of the body than this, decompressed, such as 1000000.", {
    minimum: 1,
    maximum: webLimits.bytesMost,
    default: webLimits.bytes,
  }),
  format: choice(
    ["markdown", "text", "html", "raw"],
    'What an HTML page is given as: "markdown", "text" or "html" of its main part, or "raw" for its source.',
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
export function fetchTool({ settings, version, artifacts }: ToolDeps, work: SessionWork) {
  const reach = createEgressGuard(settings.network)
  return defineTool({
    name: "web.fetch",
    title: "Fetch a page",
    description:
      "Sends an HTTP request and answers with the page: HTML as markdown of its main part, the text of a PDF, JSON and other text as it is; " +
      "anything else is kept as an artifact. A status such as 404 or 500 is a result, not a failure: look at it. " +
      `Redirects are followed. Text is cut to its head and tail at ${limits.textBytes} bytes (truncated). Private addresses are refused. ` +
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
      return fetchPage(input, { reach, version, artifacts, work, context })
    },
    show: (page) =>
      showLines(
        [page.status, page.title, page.final_url]
          .filter((part) => part !== undefined && part !== "")
          .join(" · "),
        page.text,
        page.truncated && "[cut]",
      ),
  })
}
