import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
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

/** With this build of the package as its own. */
export async function makeSourceCopy(built: string): Promise<SourceCopy> {
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
  await symlink(join(built, "dist"), join(root, "dist"))
  await symlink(join(repositoryRoot, "console/dist"), join(root, "console/dist"))
  await mkdir(bin)
  await addCommand(join(bin, "toolkeep"), `exec node "${root}/dist/cli/main.js" "$@"`)
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
      // Many short runs of the same code.
      NODE_COMPILE_CACHE: join(folder, "cache"),
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function addCommand(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}
