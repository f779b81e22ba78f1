import { pathArguments, type Route, routeEntries } from "../../api/index.ts"
import type { JsonSchema } from "../../contract/index.ts"
import { version } from "../../session/index.ts"

/** The API as an OpenAPI 3.1 document, whose schemas are JSON Schemas as they are. */
export function openApi() {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, route] of routeEntries) {
    const path = `/api${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(name, route) }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Toolkeep", version, description: "Sessions, calls, questions and sandboxes." },
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  }
}

function operationOf(name: string, route: Route) {
  const { path, scope, summary, input, method, upload } = route
  const inPath = pathArguments(path)
  const { properties = {}, required = [] } = input
  const rest = Object.entries(properties).filter(([key]) => !inPath.includes(key))
  const hasBody = !upload && (method === "POST" || method === "PUT") && rest.length > 0
  const query = hasBody ? [] : rest
  return {
    operationId: name,
    summary,
    ...(scope === "open" ? { security: [] } : { security: [{ token: [scope] }] }),
    parameters: [
      ...inPath.map((key) => parameter(key, "path", properties[key], true)),
      ...query.map(([key, schema]) => parameter(key, "query", schema, required.includes(key))),
    ],
    ...(hasBody && {
      requestBody: json({
        type: "object",
        properties: Object.fromEntries(rest),
        required: required.filter((key) => !inPath.includes(key)),
        additionalProperties: false,
      }),
    }),
    ...(upload && { requestBody: { required: true, content: { "application/octet-stream": {} } } }),
    responses: {
      200: { description: summary, content: contentOf(route.answer) },
      default: {
        description: "A failure, as tools answer it.",
        content: json(failureSchema).content,
      },
    },
  }
}

function parameter(name: string, where: string, schema: JsonSchema = {}, required: boolean) {
  return { name, in: where, required, schema }
}

function json(schema: JsonSchema) {
  return { required: true, content: { "application/json": { schema } } }
}

function contentOf(answer: Route["answer"]) {
  if (answer === "events") return { "text/event-stream": { schema: { type: "string" } } }
  if (answer === "bytes") return { "application/octet-stream": {} }
  return json(answer).content
}

const failureSchema: JsonSchema = {
  type: "object",
  properties: {
    ok: { const: false },
    tool: { type: "string", description: "The name of the route." },
    kind: { type: "string" },
    message: { type: "string" },
    field: { type: "string" },
    expected: { type: "string" },
    retryable: { type: "boolean" },
  },
  required: ["ok", "tool", "kind", "message", "retryable"],
}
