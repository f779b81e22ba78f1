import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { type RawEntry, rawTar } from "../images/raw-tar.ts"
import type { AttackPlaces } from "./ordinary-user.ts"

/** What became of each hostile image, by its name: why it was refused, or what a sandbox of it has. */
export type ImageReport = Readonly<Record<string, string>>

const isThere = "canary-in-the-image"

/** Makes images that would have Toolkeep wait for ever, or open a file of the machine, and asks for each. */
export async function attackImages({ directory, outside }: AttackPlaces): Promise<ImageReport> {
  const secretPath = join(outside, "secret.json")
  writeFileSync(secretPath, JSON.stringify({ config: { Env: ["PATH=/secret"] } }))
  const files = join(directory, "files")
  mkdirSync(files)
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(files, name), content)
    return join(files, name)
  }
  const folder = (name: string) => {
    mkdirSync(join(files, name), { recursive: true })
    return join(files, name)
  }
  const pipeIn = (path: string) => execFileSync("mkfifo", [path])

  /** A layout in which something else stands where the named file should. */
  function broken(name: string, path: string, put: (at: string) => void): string {
    const layout = folder(name)
    for (const [part, content] of layoutFiles([innocentLayer])) {
      const at = join(layout, part)
      mkdirSync(join(at, ".."), { recursive: true })
      if (part === path || (path === "config" && part === configPath)) put(at)
      else writeFileSync(at, content)
    }
    return layout
  }

  const pipe = join(files, "pipe.tar")
  pipeIn(pipe)
  const secretLayer = join(outside, "secret.tar")
  writeFileSync(secretLayer, rawTar([{ name: isThere, content: "stolen" }]))
  const images: Record<string, string> = {
    "a pipe": pipe,
    "an index that is a pipe": broken("index-pipe", "index.json", pipeIn),
    "an index that is a link to the machine": broken("index-link", "index.json", (at) =>
      symlinkSync(secretPath, at),
    ),
    "settings that are a pipe": broken("config-pipe", "config", pipeIn),
    "a manifest that is a pipe, in a directory": folder("manifest-pipe"),
    "a manifest that is a pipe, in an archive": write(
      "manifest-pipe.tar",
      rawTar([{ name: "manifest.json", type: "6" }]),
    ),
    "an archive of a layout whose index is a pipe": write(
      "index-pipe.tar",
      rawTar([
        { name: "oci-layout", content: "{}" },
        { name: "index.json", type: "6" },
      ]),
    ),
    "settings that are a link to the machine": write(
      "config-link.tar",
      savedTar([innocentLayer], { name: "config.json", type: "2", link: secretPath }),
    ),
    "a layer that is a link to the machine": write(
      "layer-link.tar",
      rawTar([
        { name: "manifest.json", content: savedManifest(1) },
        { name: "config.json", content: "{}" },
        { name: "0/layer.tar", type: "2", link: secretLayer },
      ]),
    ),
    "a layer that plants a link where the next layer was": write(
      "planted.tar",
      savedTar([
        rawTar([{ name: "way", type: "2", link: "/home/user/archive" }]),
        rawTar([{ name: "way/2/layer.tar", type: "2", link: secretLayer }]),
        innocentLayer,
      ]),
    ),
    "a layer that puts a link in the place of the whole": write(
      "whole.tar",
      savedTar([
        rawTar([{ name: "way", type: "2", link: "/home/user" }]),
        rawTar([
          { name: "way/.wh.root", content: "" },
          { name: "way/root", type: "2", link: outside },
        ]),
      ]),
    ),
    "a layer with another content than its digest": broken(
      "damaged",
      blobPath(innocentLayer),
      (at) => writeFileSync(at, rawTar([{ name: "other", content: "x" }])),
    ),
    "a search path with a NUL": write(
      "nul.tar",
      savedTar([innocentLayer], {
        name: "config.json",
        content: JSON.stringify({ config: { Env: ["PATH=/bin\0/x"] } }),
      }),
    ),
    "a thousand layers": write(
      "many.tar",
      rawTar([
        { name: "manifest.json", content: savedManifest(1_000) },
        { name: "config.json", content: "{}" },
      ]),
    ),
    "half of a packed file": write("half.tgz", gzipSync(rawTar(filler)).subarray(0, 600)),
  }
  pipeIn(join(files, "manifest-pipe", "manifest.json"))
  const host = bubblewrapHost({ directory: join(directory, "sandboxes"), images })
  const report: Record<string, string> = {}
  for (const image of Object.keys(images)) {
    report[image] = await host.create({ name: "test", image }).then(
      async (sandbox) => {
        await sandbox.destroy()
        return "made"
      },
      (error: unknown) => reasonOf(error, directory),
    )
  }
  report["names in the unpacked images"] = unpackedNames(join(directory, "sandboxes", "images"))
  return report
}

const filler = Array.from({ length: 50 }, (_, index) => ({
  name: `file${index}`,
  content: createHash("sha512").update(String(index)).digest("hex"),
}))

const innocentLayer = rawTar([{ name: "innocent", content: "x" }])

const digestOf = (content: string | Uint8Array) =>
  createHash("sha256").update(content).digest("hex")
const blobPath = (content: string | Uint8Array) => `blobs/sha256/${digestOf(content)}`
const config = JSON.stringify({ config: {} })
const configPath = blobPath(config)

function layoutFiles(layers: readonly Uint8Array[]): [string, string | Uint8Array][] {
  const part = (content: string | Uint8Array) => ({ digest: `sha256:${digestOf(content)}` })
  const manifest = JSON.stringify({ config: part(config), layers: layers.map(part) })
  const blobs = [config, manifest, ...layers].map((content): [string, string | Uint8Array] => [
    blobPath(content),
    content,
  ])
  const index = JSON.stringify({ manifests: [part(manifest)] })
  return [["oci-layout", "{}"], ["index.json", index], ...blobs]
}

function savedManifest(layers: number): string {
  const names = Array.from({ length: layers }, (_, index) => `${index}/layer.tar`)
  return JSON.stringify([{ Config: "config.json", Layers: names }])
}

/** As `docker save` wrote it before it wrote layouts. */
function savedTar(
  layers: readonly Uint8Array[],
  settings: RawEntry = { name: "config.json", content: config },
): Buffer {
  return rawTar([
    { name: "manifest.json", content: savedManifest(layers.length) },
    settings,
    ...layers.map((content, index) => ({ name: `${index}/layer.tar`, content })),
  ])
}

function reasonOf(error: unknown, directory: string): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(directory, "").replace(/^.*?: /, "")
}

function unpackedNames(images: string): string {
  const names = execFileSync("find", [images, "-mindepth", "3", "-printf", "%P\\n"], {
    encoding: "utf8",
  })
  const inside = names.split("\n").map((name) => name.replace(/^[^/]*\/root\/?/, ""))
  const paths = readdirSync(images).map((key) => readFileSync(join(images, key, "path"), "utf8"))
  return [...new Set([...inside, ...paths])].sort().join(" ").trim()
}
