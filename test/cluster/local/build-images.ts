import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { librariesOf } from "./libraries-of.ts"
import { run } from "./parts.ts"

/** Images from this machine's own programs: no registry is asked. */
export const images = {
  /** GNU's programs and bash, as most images have them. */
  test: "toolkeep-test:local",
  /** The same with Node, for keepers. */
  node: "toolkeep-node:local",
  /** Busybox alone: no bash, and other makes of the programs. */
  busybox: "toolkeep-busybox:local",
  /** No program at all. */
  empty: "toolkeep-empty:local",
} as const

const packages = [
  ...[
    "bash",
    "bsdutils",
    "coreutils",
    "dash",
    "diffutils",
    "findutils",
    "grep",
    "gzip",
    "libc-bin",
  ],
  ...["mawk", "perl-base", "procps", "sed", "tar", "util-linux"],
]

export function buildImages(directory: string): string[] {
  const root = (name: string) => {
    const path = join(directory, name)
    run("mkdir", "-p", ...["etc", "tmp", "run", "proc", "sys", "dev"].map((one) => join(path, one)))
    return path
  }
  mkdirSync(directory)
  const test = root("test")
  linkDirectories(test)
  const listed = run("dpkg", "-L", ...packages).split("\n")
  const wanted = listed.filter((path) =>
    /^(\/usr)?\/(bin|sbin)\/.|^\/usr\/lib\/(locale|[^/]+\/perl-base)\/./.test(path),
  )
  copy(test, wanted)
  const node = root("node")
  run("cp", "-a", `${test}/.`, node)
  copy(node, [process.execPath])
  run("ln", "-s", process.execPath, join(node, "usr/bin/node"))
  const busybox = root("busybox")
  run("mkdir", join(busybox, "bin"))
  run("cp", "/bin/busybox", join(busybox, "bin/busybox"))
  for (const name of run("/bin/busybox", "--list").trim().split("\n")) {
    if (name !== "busybox") symlinkSync("busybox", join(busybox, "bin", name))
  }
  const pause = root("pause")
  run("cp", "/bin/busybox", join(pause, "busybox"))
  const made = [
    pack(directory, "pause", "pause:local"),
    pack(directory, "test", images.test),
    pack(directory, "node", images.node),
    pack(directory, "busybox", images.busybox),
    pack(directory, root("empty").slice(directory.length + 1), images.empty),
  ]
  return made
}

/** As Debian has them: what was in / is in /usr. */
function linkDirectories(root: string): void {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    run("mkdir", "-p", join(root, "usr", name))
    run("ln", "-s", `usr/${name}`, join(root, name))
  }
}

/** Files of this machine with the libraries that they need, under their own paths. */
function copy(root: string, paths: readonly string[]): void {
  const list = [...paths, ...librariesOf(paths)].join("\n")
  writeFileSync(`${root}.list`, list)
  const script =
    'while read -r f; do [ -f "$f" ] || continue; mkdir -p "$1$(dirname "$f")" && cp -L "$f" "$1$f" || exit 1; done <"$1.list"'
  run("sh", "-c", script, "sh", root)
  rmSync(`${root}.list`)
}

/** As `docker save` writes it, with one layer. */
function pack(directory: string, name: string, image: string): string {
  const work = join(directory, `${name}.image`)
  mkdirSync(work)
  const layer = join(work, "layer.tar")
  run("tar", "--owner=0", "--group=0", "-C", join(directory, name), "-cf", layer, ".")
  const id = run("sha256sum", layer).slice(0, 64)
  renameSync(layer, join(work, `${id}.tar`))
  const Cmd = name === "pause" ? ["/busybox", "sleep", "1000000000"] : ["/bin/sh"]
  const config = {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: { Cmd, Env: ["PATH=/usr/local/bin:/usr/bin:/bin"] },
    rootfs: { type: "layers", diff_ids: [`sha256:${id}`] },
  }
  const manifest = { Config: "config.json", Layers: [`${id}.tar`] }
  writeFileSync(join(work, "config.json"), JSON.stringify(config))
  const RepoTags = [`docker.io/library/${image}`]
  writeFileSync(join(work, "manifest.json"), JSON.stringify([{ ...manifest, RepoTags }]))
  const archive = join(directory, `${name}.tar`)
  run("tar", "-C", work, "-cf", archive, ".")
  rmSync(work, { recursive: true })
  rmSync(join(directory, name), { recursive: true })
  return archive
}
