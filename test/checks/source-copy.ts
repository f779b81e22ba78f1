import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, delimiter, join } from "node:path"
import { repositoryRoot } from "../../scripts/repository.ts"

/** A copy of the repository in which documents and examples run without touching the original. */
export interface SourceCopy extends AsyncDisposable {
  readonly root: string
  /** The environment in which `toolkeep` and `npx toolkeep` are the copy's command line. */
  readonly environment: NodeJS.ProcessEnv
}

const leftOut: readonly string[] = [".git", "node_modules", "dist"]

export async function makeSourceCopy(): Promise<SourceCopy> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-copy-"))
  // Sandboxes run as users of their own, and walk through it.
  await chmod(folder, 0o755)
  const root = join(folder, "toolkeep")
  const bin = join(folder, "bin")
  await cp(repositoryRoot, root, {
    recursive: true,
    filter: (path) => !leftOut.includes(basename(path)),
  })
  await symlink(join(repositoryRoot, "node_modules"), join(root, "node_modules"))
  await exportSources(join(root, "package.json"))
  await mkdir(bin)
  await addCommand(join(bin, "toolkeep"), `exec node "${root}/src/cli/main.ts" "$@"`)
  await addCommand(
    join(bin, "npx"),
    `[ "$1" = toolkeep ] && shift && exec toolkeep "$@"\necho "npx $1 is not known here" >&2; exit 127`,
  )
  const path = [bin, join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter)
  return {
    root,
    environment: {
      ...process.env,
      PATH: path,
      NO_COLOR: "1",
      TOOLKEEP_HOME: join(folder, "home"),
      // Many short runs of the same sources: without this each one strips their types again.
      NODE_COMPILE_CACHE: join(folder, "cache"),
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Lets `import … from "toolkeep"` find the sources, so that no document needs a build. */
async function exportSources(path: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path, "utf8"))
  for (const name of Object.keys(manifest.exports)) {
    const built: string = manifest.exports[name].default
    manifest.exports[name] = built.replace(/^\.\/dist\/(.*)\.js$/, "./src/$1.ts")
  }
  await writeFile(path, JSON.stringify(manifest))
}

async function addCommand(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}
