import { integer, object, text } from "../contract/index.ts"
import { defineRoutes } from "./route.ts"
import { anything, list, nullableText, time, tokenSchema } from "./schemas.ts"

const connectionSchema = object({
  client: text("The agent."),
  paste: text("A command, or what its file gets."),
  "file?": text("The file to paste it into."),
})

/** What `toolkeep conform` found on this machine, the last time. */
const proofSchema = object({
  version: text("Toolkeep's version then."),
  at_ms: time("When it was proved"),
  checks: list(
    object({
      check: text("Its id."),
      promise: text("What is promised."),
      kept: { type: ["boolean", "null"], description: "Null where the host does not promise it." },
      how: text("What was measured."),
    }),
  ),
})

const hostArgument = text('The name of a host, such as "bubblewrap".', { maxLength: 64 })

/** The server itself: what it runs on, and who may use it. */
export const serverRoutes = defineRoutes({
  "server.show": {
    method: "GET",
    path: "/server",
    scope: "read",
    summary: "The version, the host of its sandboxes, and what that host can do.",
    input: object({}),
    answer: object({
      version: text("Toolkeep's version."),
      host: text("Its name."),
      summary: text("What it is."),
      fallback: nullableText("Why no host with real programs works, and what to do."),
      can: anything,
    }),
  },
  "server.connections": {
    method: "GET",
    path: "/server/connections",
    scope: "own",
    summary: "What to paste for each agent, to connect it to this server or to one of its own.",
    input: object({}),
    answer: object({
      to_this_server: list(connectionSchema),
      to_own: list(connectionSchema),
    }),
  },
  "hosts.list": {
    method: "GET",
    path: "/hosts",
    scope: "read",
    summary:
      "Each host of sandboxes: whether it works here, what it promises, and what was proved.",
    input: object({}),
    answer: object({
      hosts: list(
        object({
          host: text("Its name."),
          summary: text("What it is."),
          is_used: { type: "boolean", description: "Whether this server's sandboxes are on it." },
          why_not: nullableText("Why it does not work here, and what to do; null where it works."),
          can: anything,
          proof: { anyOf: [{ type: "null" }, proofSchema] },
          prove_with: text("The command that proves its promises on this machine."),
        }),
      ),
    }),
  },
  "hosts.prove": {
    method: "POST",
    path: "/hosts/{host}/proof",
    scope: "own",
    summary:
      "Measures every promise of a host on this machine, as toolkeep conform does, and stores what it found. It takes minutes.",
    input: object({ host: hostArgument }),
    answer: object({
      started: { type: "boolean", description: "False when that host is being proved already." },
    }),
  },
  "hosts.watch": {
    method: "GET",
    path: "/hosts/{host}/proof/events",
    scope: "read",
    summary:
      "Sends what was measured of a host so far, then each result as it comes. Events: check, ended (at once where nothing is being proved), heartbeat.",
    input: object({ host: hostArgument }),
    answer: "events",
  },
  "tokens.list": {
    method: "GET",
    path: "/tokens",
    scope: "own",
    summary: "Lists the tokens that were created, without their secrets.",
    input: object({}),
    answer: object({ tokens: list(tokenSchema) }),
  },
  "tokens.create": {
    method: "POST",
    path: "/tokens",
    scope: "own",
    summary: "Creates a token. Its secret is shown only now.",
    input: object({
      name: text("What to call it.", { maxLength: 100 }),
      kind: {
        enum: ["owner", "session", "read", "approve"],
        description: "Everything; one session; reading only; answering questions only.",
      },
      "session?": text("Of the kind session: which one.", { maxLength: 512 }),
      "expires_after_ms?": integer("How long it is valid; for ever when absent.", { minimum: 1 }),
    }),
    answer: object({
      token: text("Its id."),
      secret: text("To be sent as Authorization: Bearer."),
    }),
  },
  "tokens.revoke": {
    method: "DELETE",
    path: "/tokens/{token}",
    scope: "own",
    summary: "Makes a token invalid at once, and ends its streams.",
    input: object({ token: text("Its id.", { maxLength: 64 }) }),
    answer: object({ revoked: { type: "boolean" } }),
  },
  "codes.create": {
    method: "POST",
    path: "/codes",
    scope: "own",
    summary: "Creates a code that signs in one device, once, within ten minutes.",
    input: object({}),
    answer: object({ code: text("To be exchanged by codes.redeem.") }),
  },
  "codes.redeem": {
    method: "POST",
    path: "/codes/redeem",
    scope: "open",
    summary: "Exchanges a code for a token of this device.",
    input: object({
      code: text("The code.", { maxLength: 64 }),
      name: text("What to call the device.", { maxLength: 100, default: "browser" }),
    }),
    answer: object({
      token: text("Its id."),
      secret: text("To be sent as Authorization: Bearer."),
    }),
  },
})

export type ServerRoute = keyof typeof serverRoutes
