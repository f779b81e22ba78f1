import { lstatSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Sandbox } from "../../../host/host.ts"
import { sandboxImageLimits } from "../../../limits.ts"
import { openFile } from "../../../paths/walk-inside.ts"
import { type ArchiveFile, openArchive } from "./open-archive.ts"
import { openPart, readLayout } from "./read-layout.ts"

/** A root file system that has just been unpacked, in the home of the sandbox where that happened. */
export interface Unpacked {
  readonly path: string
  readonly searchPath: string | null
}

export interface UnpackSandbox {
  /** Unpacking runs in it, so an archive can do no more to this machine than a command could. */
  readonly sandbox: Sandbox
  /** Its home on this machine. */
  readonly home: string
}

/** Unpacks a tar of a root file system, or an image in layers in a tar or a directory. */
export async function unpackImage(source: string, workplace: UnpackSandbox): Promise<Unpacked> {
  const deadline = AbortSignal.timeout(sandboxImageLimits.unpackMs)
  try {
    return await unpack(source, { ...workplace, deadline })
  } catch (error) {
    if (!deadline.aborted) throw error
    const minutes = sandboxImageLimits.unpackMs / 60_000
    throw new Error(`It is not unpacked after ${minutes} minutes.`, { cause: error })
  }
}

/** Nothing of what is unpacked runs, or is ever opened here by a path that it could bend. */
async function unpack(source: string, workplace: Unpacking): Promise<Unpacked> {
  const root = join(workplace.home, "root")
  const archive = join(workplace.home, "archive")
  const isDirectory = statSync(source).isDirectory()
  if (!isDirectory) await run(extractInto("archive"), openSource(source), workplace)
  const parts = isDirectory ? source : archive
  const layout = readLayout(parts)
  if (layout === null) {
    await run("mv -T archive root", null, workplace)
  } else {
    await run("mkdir root", null, workplace)
    for (const layer of layout.layers) await applyLayer(() => openPart(parts, layer), workplace)
  }
  await run(clean, null, workplace)
  if (!lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error("It holds nothing that could be a root file system.")
  }
  return { path: root, searchPath: layout?.searchPath ?? null }
}

interface Unpacking extends UnpackSandbox {
  readonly deadline: AbortSignal
}

function openSource(source: string): ArchiveFile {
  const file = openFile(source)
  if (file) return { ...file, name: source, digest: null }
  throw new Error("It is neither a file nor a directory.")
}

/** A layer first takes away what it says is gone of those below it, and then adds its own files. */
async function applyLayer(open: () => ArchiveFile, workplace: Unpacking): Promise<void> {
  await run(extractWhiteouts, open(), workplace)
  await run(applyWhiteouts, null, workplace)
  await run(`${extractInto("root", "--exclude=.wh.*")} && ${openAll}`, open(), workplace)
}

/** The sandbox has devices of its own, and may make none. */
function extractInto(directory: string, options = ""): string {
  return `mkdir -p ${directory} && tar -C ${directory} -xpf - --no-same-owner ${options} \
--anchored --exclude='dev/*' --exclude='./dev/*' --no-anchored`
}

/** Without the right to write in a directory, not even its owner could change it for the next layer. */
const openAll = "chmod -R u+rwX root"

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

async function run(script: string, file: ArchiveFile | null, workplace: Unpacking): Promise<void> {
  const archive = file === null ? null : openArchive(file)
  try {
    // What tar leaves of an archive is read as well, so that a damaged end is noticed.
    const command = archive ? `${script}; code=$?; cat >/dev/null; exit $code` : script
    const { exitCode, stderr } = await workplace.sandbox.perform<"command.run">(
      {
        kind: "command.run",
        command: ["bash", "-c", command],
        cwd: workplace.sandbox.home,
        env: { LC_ALL: "C" },
        stdin: new Uint8Array(),
        timeoutMs: null,
        idleTimeoutMs: null,
        maxOutputBytes: 65_536,
      },
      { signal: workplace.deadline, onOutput: () => {}, ...(archive && { input: archive.stream }) },
    )
    workplace.deadline.throwIfAborted()
    await archive?.whole
    const complaint = new TextDecoder().decode(stderr.head).trim().split("\n")[0] ?? ""
    if (exitCode !== 0) throw new Error(`It can't be unpacked: ${complaint.replace(/\.?$/, ".")}`)
  } finally {
    archive?.close()
  }
}
