import type { Scope } from "../../../api/index.ts"
import type { JsonSchema } from "../../../contract/index.ts"
import { message } from "../connect/message.ts"

/** One operation of E2B's API as data. Its argument `id` is in the path, the rest is the query or the JSON body. */
export interface RestRoute {
  readonly method: "GET" | "POST" | "DELETE"
  /** Below the server's address, with the sandbox's id in braces; several where older SDKs use another one. */
  readonly paths: readonly string[]
  readonly scope: Scope
  readonly input: JsonSchema
  readonly status: number
}

const text = { type: "string" } as const
const texts = { type: "object", additionalProperties: text } as const
/** As commands take them. */
const variables = {
  type: "object",
  patternProperties: { "^[A-Za-z_]\\w*$": text },
  additionalProperties: false,
} as const
const yes = { type: "boolean" } as const
/** Up to a day, as E2B's own service. */
const seconds = { type: "integer", minimum: 0, maximum: 86_400 } as const
const id = { id: text } as const

export const restRoutes = {
  create: {
    ...{ method: "POST", paths: ["/v2/sandboxes", "/sandboxes"], scope: "call", status: 201 },
    input: message({
      templateID: text,
      "timeout?": seconds,
      "metadata?": texts,
      "envVars?": variables,
      "allow_internet_access?": yes,
      "autoPause?": yes,
      "autoPauseMemory?": yes,
      "autoResume?": message({ "enabled?": yes }),
      "network?": message({}),
      "iam?": message({}),
      "mcp?": message({}),
      "volumeMounts?": { type: "array", items: message({}) },
    }),
  },
  list: {
    ...{ method: "GET", paths: ["/v2/sandboxes", "/sandboxes"], scope: "read", status: 200 },
    input: message({
      "metadata?": text,
      "state?": text,
      "startedAfter?": text,
      "template?": text,
      "order?": { enum: ["asc", "desc"] },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 100 },
      "nextToken?": text,
    }),
  },
  connect: {
    ...{ method: "POST", scope: "call", status: 200 },
    paths: ["/v2/sandboxes/{id}/connect", "/sandboxes/{id}/connect", "/sandboxes/{id}/resume"],
    input: message({ ...id, "timeout?": seconds, "memory?": yes }),
  },
  show: {
    ...{ method: "GET", paths: ["/sandboxes/{id}"], scope: "read", status: 200 },
    input: message(id),
  },
  kill: {
    ...{ method: "DELETE", paths: ["/sandboxes/{id}"], scope: "call", status: 204 },
    input: message(id),
  },
  timeout: {
    ...{ method: "POST", paths: ["/sandboxes/{id}/timeout"], scope: "call", status: 204 },
    input: message({ ...id, timeout: seconds }),
  },
  refresh: {
    ...{ method: "POST", paths: ["/sandboxes/{id}/refreshes"], scope: "call", status: 204 },
    input: message({ ...id, "duration?": seconds }),
  },
  pause: {
    ...{ method: "POST", paths: ["/sandboxes/{id}/pause"], scope: "call", status: 204 },
    input: message({ ...id, "memory?": yes }),
  },
  metrics: {
    ...{ method: "GET", paths: ["/sandboxes/{id}/metrics"], scope: "read", status: 200 },
    input: message({ ...id, "start?": { type: "integer" }, "end?": { type: "integer" } }),
  },
} as const satisfies Readonly<Record<string, RestRoute>>

export type RestName = keyof typeof restRoutes

/** What of E2B's API is not served, by the beginning of its path, and why. */
export const unserved: readonly (readonly [RegExp, string])[] = [
  [
    /^(\/v\d)?\/templates\b|^\/files\/templates\b/,
    "Templates are not served: a sandbox starts from an image of this host, named as the template.",
  ],
  [/^(\/v\d)?\/volumes\b|^\/volumecontent\b/, "Volumes are not served."],
  [/^(\/v\d)?\/secrets\b/, "Secrets are not served."],
  [
    /^(\/v\d)?\/(teams|api-keys|access-tokens|nodes|admin)\b/,
    "Teams and accounts are not served: this server has tokens of its own.",
  ],
  [
    /^(\/v\d)?\/snapshots\b|\/snapshots$/,
    "Snapshots are not served here: E2B starts sandboxes from them as from templates.",
  ],
  [/\/fork$/, "Forks of a sandbox are not served here."],
  [
    /\/network$/,
    "The network of a sandbox is what this server's configuration gives it, and can't be changed from here.",
  ],
  [/\/logs$/, "Logs are not served here: the record of the session has every call."],
]
