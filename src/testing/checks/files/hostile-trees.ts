import type { Workspace } from "../../../contract/index.ts"
import { streamOf, streamThen, type TarEntry, tarArchive } from "../../measure/archives.ts"
import { defineChecks, type Measure, type Subject } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireWorks } from "../../measure/require.ts"
import { prepare } from "../../measure/running-work.ts"
import { describeTree, digest, sampleBytes } from "../../measure/sample-files.ts"
import { type Outside, withOutside } from "../../measure/with-outside.ts"

interface AttackPaths {
  readonly outside: Outside
  readonly home: string
}

/** Requires that an archive changes nothing but its target, whether it is refused or not. */
function contained(entries: (paths: AttackPaths) => readonly TarEntry[], before = ":"): Measure {
  return ({ workspace, sandbox }: Subject) =>
    withOutside(async (outside) => {
      const env = { OUT: outside.directory, HOME_DIRECTORY: sandbox.home }
      await prepare(
        workspace,
        `mkdir -p box/target box/beside; echo ${kept} > box/beside/file`,
        env,
      )
      await prepare(workspace, before, env)
      const around = () => describeAround(workspace)
      const found = await around()
      const archive = tarArchive(entries({ outside, home: sandbox.home }))
      const [end] = await Promise.allSettled([
        workspace.importTree("box/target", streamOf(archive)),
      ])
      requireEqual("what is around the target", await around(), found)
      await outside.requireUntouched()
      const taken = [`${kept}\n`, outside.secret].map((text) => digest(Buffer.from(text)))
      const inside = await describeTree(workspace, "box/target")
      const leaks = inside.filter((line) => taken.some((content) => line.includes(content)))
      requireEqual("what was taken from around the target", leaks, [])
      const planted = await workspace.exec('ls "$OUT" | grep planted', { env })
      requireEqual("what was planted outside", planted.stdout, "")
      await requireWorks(workspace)
      const how = end.status === "fulfilled" ? "was unpacked inside its target" : "was refused"
      return `the archive ${how}, and nothing else has changed`
    })
}

const kept = "content beside the target"

/** All of the home but the target. */
async function describeAround(workspace: Workspace): Promise<string[]> {
  const lines = await describeTree(workspace, ".")
  const from = lines.findIndex((line) => line.endsWith('"target"'))
  const below = lines.findIndex((line, index) => index > from && !line.startsWith("    "))
  return [...lines.slice(0, from), ...(below < 0 ? [] : lines.slice(below))]
}

const planted = { kind: "file", content: "planted" } as const

/** Requires that an archive which is not whole is a failure. */
function incomplete(archives: () => readonly ReadableStream<Uint8Array>[]): Measure {
  return async ({ workspace }) => {
    const all = archives()
    for (const [index, archive] of all.entries()) {
      await rejectionOf(`import ${index + 1}`, workspace.importTree("target", archive))
    }
    await requireWorks(workspace)
    return `${all.length} ways, all of them failures`
  }
}

const whole = tarArchive([
  { name: "first", kind: "file", content: "1".repeat(700) },
  { name: "second", kind: "file", content: "2".repeat(5_000) },
])
/** In the middle of a header, of a file, and exactly between two files. */
const cuts = [100, 4_000, 1_536]

/** Archives that are made to do harm, or are not whole. */
const hostileTreesPromises = {
  dots: "names in an archive that go upwards land nowhere outside the target",
  "absolute-names": "absolute names in an archive land nowhere outside the target",
  "links-in-archive": "no link in an archive leads its next entries outside the target",
  "links-in-target": "no link in the target leads an archive outside the target",
  "hard-links": "no hard link in an archive reaches a file outside the target",
  truncated: "an archive that ends too early is a failure",
  "broken-source": "an archive whose source fails is a failure",
  "not-an-archive": "what is not an archive at all is a failure",
}

export const hostileTrees = defineChecks("trees", hostileTreesPromises, {
  dots: contained(() => [
    { ...planted, name: "../planted" },
    { ...planted, name: "../beside/file" },
    { ...planted, name: "inner/../../planted" },
    { ...planted, name: "./../../planted" },
    { kind: "directory", name: "../planted-directory/" },
  ]),
  "absolute-names": contained(({ outside, home }) => [
    { ...planted, name: `${outside.directory}/planted` },
    { ...planted, name: outside.file },
    { ...planted, name: `${home}/planted` },
    { ...planted, name: `${home}/box/beside/file` },
  ]),
  "links-in-archive": contained(({ outside }) => [
    { kind: "symlink", name: "absolute", to: outside.directory },
    { ...planted, name: "absolute/planted" },
    { kind: "symlink", name: "upwards", to: "../beside" },
    { ...planted, name: "upwards/planted" },
    { ...planted, name: "upwards/file" },
    { kind: "symlink", name: "file", to: "../beside/file" },
    { ...planted, name: "file" },
  ]),
  "links-in-target": contained(
    () => [
      { ...planted, name: "absolute/planted" },
      { ...planted, name: "upwards/planted" },
      { ...planted, name: "upwards/file" },
      { ...planted, name: "inner/up/planted" },
      { ...planted, name: "file" },
    ],
    'cd box/target; ln -s "$OUT" absolute; ln -s ../beside upwards; ln -s ../beside/file file; mkdir inner; ln -s ../../beside inner/up',
  ),
  "hard-links": contained(({ outside }) => [
    { kind: "hardlink", name: "upwards", to: "../beside/file" },
    { ...planted, name: "upwards" },
    { kind: "hardlink", name: "absolute", to: outside.file },
    { ...planted, name: "absolute" },
    { kind: "hardlink", name: "second", to: "../beside/file" },
    { kind: "hardlink", name: "third", to: outside.file },
  ]),
  truncated: incomplete(() => cuts.map((bytes) => streamOf(whole.subarray(0, bytes)))),
  "broken-source": incomplete(() =>
    [0, ...cuts].map((bytes) =>
      streamThen(whole.subarray(0, bytes), (controller) => controller.error(new Error("no more"))),
    ),
  ),
  "not-an-archive": incomplete(() => [
    streamOf(sampleBytes(20_000, 11)),
    streamOf(new TextEncoder().encode("hello ".repeat(500))),
  ]),
})
