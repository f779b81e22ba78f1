import type { Workspace } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { defineChecks, when } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireRefusal, requireThat } from "../../measure/require.ts"
import { prepare } from "../../measure/running-work.ts"
import { type Outside, withOutside } from "../../measure/with-outside.ts"

/** Plants links to a place outside: to a file, to its directory, through another link, by `..`. */
function plantLinks(workspace: Workspace, { directory, file }: Outside): Promise<void> {
  const links = [
    'ln -s "$OUTSIDE_FILE" to-file',
    'ln -s "$OUTSIDE_DIRECTORY" to-directory',
    "ln -s to-file to-link",
    'ln -s "../../../../../../../../../../../..$OUTSIDE_FILE" by-dots',
    'mkdir -p sub && ln -s "../to-directory" sub/nested',
  ]
  const env = { OUTSIDE_FILE: file, OUTSIDE_DIRECTORY: directory }
  return prepare(workspace, links.join(" && "), env)
}

async function requireNoWay(what: string, work: Promise<unknown>): Promise<void> {
  const error = await rejectionOf(what, work)
  requireThat(error instanceof WorkspaceError, `${what} threw ${String(error)}`)
}

const waysToFile = [
  "to-file",
  "to-link",
  "by-dots",
  "to-directory/secret.txt",
  "sub/nested/secret.txt",
  "sub/../to-directory/./secret.txt",
]

const linksPromises = {
  followed: "links inside the workspace are followed by read, stat and listing",
  absolute: "a link with an absolute target inside the workspace is followed",
  dangling: "a link that leads nowhere does not exist for read, stat and exists",
  loop: "a chain of links that never ends fails as link-loop",
  "outside-read": "no link leads a read or a stat to a file outside the workspace",
  "outside-list": "no link leads a listing to a directory outside the workspace",
  "outside-write": "no link leads a write or an append to anything outside the workspace",
  "outside-directory": "no link leads a command's own directory outside the workspace",
}

export const links = defineChecks("links", linksPromises, {
  async followed({ workspace }) {
    await workspace.writeFile("real/file.txt", "linked")
    await workspace.exec(
      "ln -s real/file.txt one; ln -s one two; ln -s real dir; ln -s ../one real/up",
    )
    const found = {
      read: await Promise.all(
        ["one", "two", "dir/file.txt", "real/up"].map((path) => workspace.readFile(path)),
      ),
      types: [(await workspace.stat("two")).type, (await workspace.stat("dir")).type],
      size: (await workspace.stat("two")).size,
      listed: (await workspace.readdir("dir")).map(({ name }) => name),
    }
    requireEqual("what was found", found, {
      read: ["linked", "linked", "linked", "linked"],
      types: ["file", "directory"],
      size: 6,
      listed: ["file.txt", "up"],
    })
    return "to a file, to a link, to a directory and upwards"
  },
  async absolute({ workspace, sandbox }) {
    await workspace.writeFile("real.txt", "absolute")
    await workspace.exec('ln -s "$TARGET" absolute', {
      env: { TARGET: `${sandbox.home}/real.txt` },
    })
    requireEqual("what was read", await workspace.readFile("absolute"), "absolute")
    return `a link to ${sandbox.home}/real.txt`
  },
  async dangling({ workspace }) {
    await workspace.exec("ln -s nowhere dangling")
    await requireRefusal("reading it", workspace.readFile("dangling"), "not-found")
    await requireRefusal("stat of it", workspace.stat("dangling"), "not-found")
    requireEqual("exists", await workspace.exists("dangling"), false)
    return "read and stat failed as not-found, exists said no"
  },
  async loop({ workspace }) {
    await workspace.exec("ln -s self self; ln -s two one; ln -s one two")
    for (const path of ["self", "one", "self/below"]) {
      await requireRefusal(`reading ${path}`, workspace.readFile(path), "link-loop")
    }
    await requireRefusal("writing self", workspace.writeFile("self", "x"), "link-loop")
    return "a link to itself, two links to each other, and a path below"
  },
  "outside-read": ({ workspace }) =>
    withOutside(async (outside) => {
      await plantLinks(workspace, outside)
      for (const way of waysToFile) {
        await requireNoWay(`reading ${way}`, workspace.readFile(way))
        await requireNoWay(`stat of ${way}`, workspace.stat(way))
      }
      return `${waysToFile.length} ways to a file outside, by read and by stat, were all closed`
    }),
  "outside-list": ({ workspace }) =>
    withOutside(async (outside) => {
      await plantLinks(workspace, outside)
      const ways = ["to-directory", "sub/nested", "to-directory/empty"]
      for (const way of ways) await requireNoWay(`listing ${way}`, workspace.readdir(way))
      return `${ways.length} ways to a directory outside were all closed`
    }),
  "outside-write": ({ workspace }) =>
    withOutside(async (outside) => {
      await plantLinks(workspace, outside)
      const ways = [
        ...waysToFile,
        "to-directory/new.txt",
        "to-directory/empty/new.txt",
        "sub/nested/new/deep.txt",
      ]
      for (const way of ways) {
        await Promise.allSettled([workspace.writeFile(way, "planted", { append: true })])
        await Promise.allSettled([workspace.writeFile(way, "planted")])
      }
      await outside.requireUntouched()
      return `${ways.length} ways to write and to append, and nothing outside has changed`
    }),
  "outside-directory": when(
    ({ isolation }) => isolation !== "none",
    ({ workspace }) =>
      withOutside(async (outside) => {
        await plantLinks(workspace, outside)
        const work = workspace.exec("cat secret.txt", { cwd: "to-directory" })
        const [outcome] = await Promise.allSettled([work])
        const read = outcome.status === "fulfilled" ? outcome.value.stdout : ""
        requireThat(!read.includes(outside.secret), "the command read the file outside")
        return "a command there read nothing of it"
      }),
  ),
})
