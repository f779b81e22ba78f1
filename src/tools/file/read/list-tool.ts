import {
  type CallContext,
  defineTool,
  flag,
  type InferSchema,
  integer,
  limits,
  object,
  requirePath,
  showLines,
  text,
  type Workspace,
} from "../../../contract/index.ts"
import { markUnseen, trimEndOf } from "../../../kit/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { takeFitting } from "../../take-fitting.ts"

/** The result of listing a directory. */
export const listingSchema = object({
  kind: { const: "listing" },
  path: { type: "string" },
  entries: {
    type: "array",
    items: object({
      name: { type: "string" },
      path: { type: "string", description: "Ready to be the next call's argument." },
      type: { enum: ["file", "directory", "symlink", "other"] },
    }),
  },
  entry_count: { type: "integer", description: "Of the entries in this answer." },
  truncated: { type: "boolean", description: "There are more." },
})

type ListingResult = InferSchema<typeof listingSchema>
type Entry = ListingResult["entries"][number]

/** file.list: the entries of a directory, each with a path that is ready for the next call. */
export function listTool() {
  return defineTool({
    name: "file.list",
    title: "List a directory",
    description:
      "Lists a directory, sorted by name; hidden files too, links not followed. Each entry is a path for the next call; " +
      'truncated says that there are more. Example: {"path": "src", "recursive": true}.',
    input: object({
      path: text("The directory.", { default: "." }),
      recursive: flag("Also the directories below, nearest first."),
      limit: integer("At most this many, such as 50.", {
        minimum: 1,
        maximum: fileLimits.listingEntriesMost,
        default: limits.listingEntries,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: listingSchema,
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "read" }],
    sandbox: namedSandbox,
    async run(input, context) {
      const workspace = await context.workspace()
      requirePath(input.path, workspace, "path")
      return listDirectory(workspace, { ...input, context })
    },
    show: showListing,
  })
}

interface ListingRequest {
  /** As the caller named it: the entries' paths start with it. */
  readonly path: string
  readonly limit: number
  readonly recursive: boolean
  readonly context: CallContext
}

/**
 * The entries of a directory, and with `recursive` of all below it, nearest first.
 * Links are listed, never followed, so a walk ends even where links make a circle.
 */
export async function listDirectory(
  workspace: Workspace,
  request: ListingRequest,
): Promise<ListingResult> {
  const { path, limit, recursive } = request
  const found: Entry[] = [...(await readEntries(workspace, request, path))]
  for (let next = 0; recursive && next < found.length && found.length <= limit; next += 1) {
    const entry = found[next]
    if (entry?.type !== "directory") continue
    found.push(...(await readBelow(workspace, request, entry.path)))
  }
  const entries = takeFitting(found.slice(0, limit))
  const truncated = entries.length < found.length
  return { kind: "listing", path, entries, entry_count: entries.length, truncated }
}

async function readEntries(
  workspace: Workspace,
  request: ListingRequest,
  path: string,
): Promise<readonly Entry[]> {
  // One more than wanted tells whether there are more.
  const options = { limit: request.limit + 1, signal: request.context.signal }
  const entries = await workspace.readdir(path, options)
  return entries.map(({ name, type }) => ({ name, path: pathInside(path, name), type }))
}

/** A directory below that can't be read, or is gone by now, does not spoil the rest. */
async function readBelow(
  workspace: Workspace,
  request: ListingRequest,
  path: string,
): Promise<readonly Entry[]> {
  try {
    return await readEntries(workspace, request, path)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    request.context.warn(error.message)
    return []
  }
}

/** The path of a directory's entry in the form the directory was named, ready for the next call. */
export function pathInside(directory: string, name: string): string {
  if (/^\/+$/.test(directory)) return `/${name}`
  const base = trimEndOf(directory.replace(/^(?:\.\/+)+/, ""), "/")
  if (base !== "" && base !== ".") return `${base}/${name}`
  // A name of nothing but white space would read as an empty path.
  return name.trim() === "" ? `./${name}` : name
}

/** A line for each entry, whatever its name holds. */
export function showListing({ entries, entry_count, path, truncated }: ListingResult): string {
  return showLines(
    ...entries.map(({ path: one, type }) => `${markUnseen(one)}${typeMarks[type]}`),
    `${entry_count} entries in ${markUnseen(path)}${truncated ? ", and more" : ""}`,
  )
}

const typeMarks = { file: "", directory: "/", symlink: " (symlink)", other: " (other)" } as const
