import { integer, object, text } from "../contract/index.ts"
import { defineRoutes } from "./route.ts"
import {
  directorySchema,
  list,
  nullableText,
  rangeArguments,
  sessionArgument,
  time,
} from "./schemas.ts"

const sandboxArgument = text('The name of a sandbox, such as "default".', { maxLength: 128 })
const pathArgument = text('A path in the sandbox, such as "src/main.ts".', { maxLength: 4096 })
const place = { session: sessionArgument, sandbox: sandboxArgument }
const done = object({ done: { const: true } })

const sandboxSchema = object({
  sandbox: text("Its name."),
  image: { type: "string" },
  status: { enum: ["running", "sleeping"] },
  network: { enum: ["none", "allow-list", "full"] },
  created_ms: time("When it was created"),
  sleep_after_ms: { type: "number" },
})

const sequence = integer("The number of the entry.", { minimum: 1 })
const beforeArgument = integer("Only what was recorded before this entry.", { minimum: 1 })
const next = {
  type: ["integer", "null"],
  description: "What to give as before for what was earlier; null where there is no more.",
} as const

const happening = {
  enum: [
    "call",
    "created",
    "found",
    "slept",
    "woke",
    "forked",
    "forked-from",
    "transferred",
    "received",
    "destroyed",
  ],
} as const

/** Of one thing: how much is used, or why that is not known; null for no limit. */
const measureSchema = object({
  used: { type: ["number", "null"] },
  limit: { type: ["number", "null"] },
  "unknown?": text('Completes "not known, because ...".'),
})

const processState = { enum: ["running", "exited", "killed", "gone"] } as const

const processSchema = object({
  process: text("Its id."),
  pid: { type: "integer" },
  command: { anyOf: [{ type: "string" }, list({ type: "string" })] },
  cwd: { type: "string" },
  started_ms: time("When it started"),
  state: processState,
  exit_code: { type: ["integer", "null"] },
})

/**
 * Sandboxes, their files and processes, for the owner: these routes act directly and ask no policy. Others call the
 * tools (`calls.start`), which are judged.
 */
export const sandboxRoutes = defineRoutes({
  "sandboxes.list": {
    method: "GET",
    path: "/sessions/{session}/sandboxes",
    scope: "read",
    summary: "Lists the sandboxes of a session.",
    input: object({ session: sessionArgument }),
    answer: object({ sandboxes: list(sandboxSchema) }),
  },
  "sandboxes.usage": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/usage",
    scope: "read",
    summary: "What a sandbox uses now, against its limits. A sleeping one goes on sleeping.",
    input: object(place),
    answer: object({
      at_ms: time("When that was"),
      cpu: {
        ...measureSchema,
        description:
          "Processor time in milliseconds since it was last started; the limit in processors.",
      },
      memory: { ...measureSchema, description: "Bytes, without what the kernel only caches." },
      disk: { ...measureSchema, description: "Bytes." },
      processes: { ...measureSchema, description: "With their threads." },
    }),
  },
  "sandboxes.history": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/history",
    scope: "read",
    summary:
      "What happened to a sandbox and which calls ran in it, the newest first, from the session's record.",
    input: object({ ...place, "before?": beforeArgument }),
    answer: object({
      events: list(
        object({
          ...{ sequence, at_ms: time("When it was recorded") },
          what: happening,
          "call?": text("Of a call: its id."),
          "tool?": text("Of a call: the tool's name."),
          "image?": { type: "string" },
          "to?": text("The other sandbox."),
          "path?": text("What was copied."),
          "bytes?": { type: "integer" },
        }),
      ),
      next,
    }),
  },
  "sandboxes.network": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/network",
    scope: "read",
    summary:
      "What commands in a sandbox reached and were refused, with the rule, the newest first, from the session's record.",
    input: object({ ...place, "before?": beforeArgument }),
    answer: object({
      decisions: list(
        object({
          ...{ sequence, at_ms: time("When it was recorded") },
          target: nullableText("A name or an address; null for many that were only counted."),
          port: { type: ["integer", "null"] },
          allowed: { type: ["boolean", "null"] },
          rule: nullableText("The rule that decided."),
          times: integer("How often, in a short time.", { minimum: 1 }),
        }),
      ),
      unknown: nullableText("Why there may be more; null where this is all."),
      next,
    }),
  },
  "sandboxes.create": {
    method: "POST",
    path: "/sessions/{session}/sandboxes",
    scope: "own",
    summary: "Creates a sandbox; one of that name stays as it is.",
    input: object({
      ...place,
      "image?": text("One of the host's images.", { maxLength: 512 }),
      "sleep_after_ms?": integer("How long it may be idle before it sleeps.", { minimum: 1 }),
    }),
    answer: object({ sandbox: { type: "string" }, created: { type: "boolean" } }),
  },
  "sandboxes.sleep": {
    method: "POST",
    path: "/sessions/{session}/sandboxes/{sandbox}/sleep",
    scope: "own",
    summary: "Ends its processes and keeps its files.",
    input: object(place),
    answer: done,
  },
  "sandboxes.wake": {
    method: "POST",
    path: "/sessions/{session}/sandboxes/{sandbox}/wake",
    scope: "own",
    summary: "Starts it, so that the next command need not.",
    input: object(place),
    answer: done,
  },
  "sandboxes.fork": {
    method: "POST",
    path: "/sessions/{session}/sandboxes/{sandbox}/fork",
    scope: "own",
    summary: "Creates another sandbox with the same files.",
    input: object({ ...place, to: text("The name of the new sandbox.", { maxLength: 128 }) }),
    answer: object({ sandbox: { type: "string" }, created: { type: "boolean" } }),
  },
  "sandboxes.transfer": {
    method: "POST",
    path: "/sessions/{session}/transfers",
    scope: "own",
    summary: "Copies a file or a directory from one sandbox to another.",
    input: object({
      session: sessionArgument,
      from_sandbox: sandboxArgument,
      from_path: pathArgument,
      to_sandbox: sandboxArgument,
      to_path: pathArgument,
      recursive: { type: "boolean", default: false },
    }),
    answer: object({ bytes: { type: "integer" } }),
  },
  "sandboxes.destroy": {
    method: "DELETE",
    path: "/sessions/{session}/sandboxes/{sandbox}",
    scope: "own",
    summary: "Ends it and removes its files.",
    input: object(place),
    answer: done,
  },
  "files.list": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/files",
    scope: "own",
    summary: "Lists a directory, sorted by name.",
    input: object({ ...place, path: { ...pathArgument, default: "." } }),
    answer: directorySchema,
  },
  "files.read": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/file",
    scope: "own",
    summary: "The bytes of a file, or a part of them.",
    input: object({
      ...place,
      path: pathArgument,
      ...rangeArguments,
    }),
    answer: "bytes",
  },
  "files.write": {
    method: "PUT",
    path: "/sessions/{session}/sandboxes/{sandbox}/file",
    scope: "own",
    upload: true,
    summary: "Writes a file with the bytes of the body, all of them or none.",
    input: object({ ...place, path: pathArgument }),
    answer: object({ bytes: { type: "integer" } }),
  },
  "processes.list": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/processes",
    scope: "own",
    summary: "Lists the background processes of a sandbox.",
    input: object(place),
    answer: object({ processes: list(processSchema) }),
  },
  "processes.output": {
    method: "GET",
    path: "/sessions/{session}/sandboxes/{sandbox}/processes/{process}/output",
    scope: "own",
    summary: "What a background process has written: its end, or what came after a byte.",
    input: object({
      ...place,
      process: text("Its id.", { maxLength: 128 }),
      "after?": integer("What the answer before had as next; the end when absent.", { minimum: 0 }),
    }),
    answer: object({
      text: { type: "string" },
      from: integer("The byte that it begins with.", { minimum: 0 }),
      next: integer("The byte after it.", { minimum: 0 }),
      state: processState,
    }),
  },
  "processes.kill": {
    method: "DELETE",
    path: "/sessions/{session}/sandboxes/{sandbox}/processes/{process}",
    scope: "own",
    summary: "Ends a background process with all that it started, and says how it ended.",
    input: object({ ...place, process: text("Its id.", { maxLength: 128 }) }),
    answer: processSchema,
  },
  "terminals.create": {
    method: "POST",
    path: "/sessions/{session}/sandboxes/{sandbox}/terminals",
    scope: "own",
    summary: "A ticket for one terminal in this sandbox, opened by a WebSocket at /api/terminals.",
    input: object({
      ...place,
      columns: integer("Its width, in characters.", { minimum: 1, maximum: 2000 }),
      rows: integer("Its height, in lines.", { minimum: 1, maximum: 2000 }),
      "command?": text("A command for bash; an interactive bash when absent.", {
        maxLength: 100_000,
      }),
      "cwd?": pathArgument,
    }),
    answer: object({
      ticket: text("To be sent as the first message: once, within ten seconds."),
    }),
  },
  "artifacts.list": {
    method: "GET",
    path: "/sessions/{session}/artifacts",
    scope: "read",
    summary: "Lists the files that the session's tools made for a person.",
    input: object({ session: sessionArgument }),
    answer: object({
      artifacts: list(
        object({
          artifact: text("Its id."),
          filename: text("Its name."),
          media_type: { type: "string" },
          bytes: { type: "integer" },
        }),
      ),
    }),
  },
  "artifacts.show": {
    method: "POST",
    path: "/sessions/{session}/artifacts/{artifact}/pages",
    scope: "read",
    summary:
      "The address of an artifact that is HTML or SVG, for one frame: on an origin of its own, where nothing in it runs. A path of the server where it is used by another name than one of this machine.",
    input: object({ session: sessionArgument, artifact: text("Its id.", { maxLength: 128 }) }),
    answer: object({ url: text("Works once, within 30 seconds.") }),
  },
  "artifacts.read": {
    method: "GET",
    path: "/sessions/{session}/artifacts/{artifact}",
    scope: "read",
    summary: "The bytes of an artifact, as a download.",
    input: object({ session: sessionArgument, artifact: text("Its id.", { maxLength: 128 }) }),
    answer: "bytes",
  },
})

export type SandboxRoute = keyof typeof sandboxRoutes
