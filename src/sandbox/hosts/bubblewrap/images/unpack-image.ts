import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import type { Sandbox } from "../../../host.ts"
import { openArchive } from "./open-archive.ts"
import { type ImageLayout, readLayout } from "./read-layout.ts"

/** A root file system that has just been unpacked, in the home of the sandbox where that happened. */
export interface Unpacked {
  readonly path: string
  readonly searchPath: string | null
}

export interface Workplace {
  /** Unpacking runs in it, so an archive can do no more to this machine than a command could. */
  readonly sandbox: Sandbox
  /** Its home on this machine. */
  readonly home: string
}

/** Unpacks a tar of a root file system, or an image in layers in a tar or a directory. */
export async function unpackImage(source: string, place: Workplace): Promise<Unpacked> {
  const root = join(place.home, "root")
  const archive = join(place.home, "archive")
  const isDirectory = lstatSync(source, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isDirectory) await run(extractInto("archive"), source, place)
  const layout = await readLayout(isDirectory ? source : archive)
  if (layout === null) {
    await run("mv -T archive root", null, place)
  } else {
    await run("mkdir root", null, place)
    await applyLayers(layout, place)
  }
  await run(clean, null, place)
  if (!existsSync(root)) throw new Error("It holds nothing.")
  return { path: root, searchPath: layout?.searchPath ?? null }
}

/** Each layer first takes away what it says is gone of those below it, and then adds its own files. */
async function applyLayers({ layers }: ImageLayout, place: Workplace): Promise<void> {
  for (const layer of layers) {
    await run(extractWhiteouts, layer, place)
    await run(applyWhiteouts, null, place)
    await run(`${extractInto("root", "--exclude=.wh.*")} && ${open}`, layer, place)
  }
}

/** The sandbox has devices of its own, and may make none. */
function extractInto(directory: string, options = ""): string {
  return `mkdir -p ${directory} && tar -C ${directory} -xpf - --no-same-owner ${options} \
--anchored --exclude='dev/*' --exclude='./dev/*' --no-anchored`
}

/** Without the right to write in a directory, not even its owner could change it for the next layer. */
const open = "chmod -R u+rwX root"

/** Archives without one make tar complain; a damaged one is found when its files are unpacked. */
const extractWhiteouts = `rm -rf gone && mkdir gone &&
tar -C gone -xf - --no-same-owner --wildcards '.wh.*' '*/.wh.*' 2>/dev/null; :`

const applyWhiteouts = `find gone -name '.wh.*' -print0 | while IFS= read -r -d '' mark; do
  mark=\${mark#gone/}; directory=root/; name=$mark
  if [[ $mark == */* ]]; then directory+=\${mark%/*}/; name=\${mark##*/}; fi
  name=\${name#.wh.}
  if [[ $name == .wh..opq ]]; then find "\${directory%/}" -mindepth 1 -delete
  elif [[ $name && $name != . && $name != .. && $name != .wh.* ]]; then rm -rf -- "$directory$name"; fi
done 2>/dev/null; rm -rf gone`

/**
 * Every sandbox may read all of it. Bits that make a program another user are of no use in a sandbox,
 * and pipes and sockets would join sandboxes with each other.
 */
const clean = `find root ! -type f ! -type d ! -type l -delete && chmod -R u+rwX,a+rX,ug-s root`

async function run(script: string, input: string | null, place: Workplace): Promise<void> {
  const archive = input === null ? null : await openArchive(input)
  const { exitCode, stderr } = await place.sandbox.perform<"command.run">(
    {
      kind: "command.run",
      // What tar leaves of an archive is read as well, so that a damaged end is noticed.
      command: ["bash", "-c", archive ? `${script}; code=$?; cat >/dev/null; exit $code` : script],
      cwd: place.sandbox.home,
      env: { LC_ALL: "C" },
      stdin: new Uint8Array(),
      timeoutMs: null,
      idleTimeoutMs: null,
      maxOutputBytes: 65_536,
    },
    { signal: never, onOutput: () => {}, ...(archive && { input: archive.stream }) },
  )
  await archive?.whole
  const complaint = new TextDecoder().decode(stderr.head).trim().split("\n")[0] ?? ""
  if (exitCode !== 0) throw new Error(`It can't be unpacked: ${complaint.replace(/\.?$/, ".")}`)
}

const never = new AbortController().signal
