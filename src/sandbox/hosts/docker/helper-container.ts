import { mkdirSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { ContainerCreateOptions, MountSettings } from "dockerode"
import { createId } from "../../../kit/index.ts"
import { ownerOf } from "../../../node/index.ts"
import { UnfitImage } from "../../agent/commands/require-programs.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { removeTree } from "../../agent/directory/remove-tree.ts"
import { ownerLabel } from "./container-settings.ts"
import type { Engine } from "./engine.ts"
import { homeMount } from "./home-mount.ts"

export interface HelperOptions {
  readonly engine: Engine
  readonly image: string
  readonly binds?: readonly string[]
}

/** What this process may not do with the files of sandboxes, done by a program of their image. */
export function createHelper({ engine, image, binds = [] }: HelperOptions) {
  async function run(command: readonly string[], mounts: MountSettings[]): Promise<void> {
    const name = `toolkeep-${createId("helper")}`
    try {
      const container = await engine.create(name, settings({ image, binds, command, mounts }))
      await engine.start(container, image)
      const code = await engine.exitCode(container)
      if (code !== 0) throw new UnfitImage(image, `It could not ${command[0]} a sandbox's files.`)
    } finally {
      await engine.remove(name)
    }
  }

  return {
    /** Copies a home, as it looks from inside, to a directory that is not there yet. */
    async merge(stack: HomeStack, target: string): Promise<void> {
      mkdirSync(target, { mode: 0o700 })
      const { uid, gid } = statSync(stack.writable)
      await run(
        ["cp", "-aT", "--", "/home/user", "/run/target"],
        [homeMount(stack, false), { Type: "bind", Source: target, Target: "/run/target" }],
      )
      // Some engines give a home to root while a container of root's has it.
      const copied = statSync(target)
      if (copied.uid === uid && copied.gid === gid) return
      await run(
        ["chown", "--", `${uid}:${gid}`, "/run/target"],
        [{ Type: "bind", Source: target, Target: "/run/target" }],
      )
    },
    /** Also what the engine has made there as another user. */
    async remove(directory: string): Promise<void> {
      const failure = await removeTree(directory).then(
        () => null,
        (error: unknown) => error,
      )
      if (failure === null) return
      const source = { Type: "bind", Source: dirname(directory), Target: "/run/target" } as const
      await run(["rm", "-rf", "--", `/run/target/${basename(directory)}`], [source])
    },
  }
}

interface HelperSettings {
  readonly image: string
  readonly binds: readonly string[]
  readonly command: readonly string[]
  readonly mounts: MountSettings[]
}

/** Allowed what concerns any user's files, and nothing else: it sees only the mounts. */
function settings({ image, binds, command, mounts }: HelperSettings): ContainerCreateOptions {
  return {
    Image: image,
    // In place of the image's own, which some engines put before a command.
    Entrypoint: command.slice(0, 1),
    Cmd: command.slice(1),
    User: "0:0",
    Labels: { [ownerLabel]: ownerOf(process.pid) },
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      ReadonlyRootfs: true,
      NetworkMode: "none",
      CapDrop: ["ALL"],
      CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID"],
      SecurityOpt: ["no-new-privileges"],
      Mounts: mounts,
      Binds: [...binds],
      LogConfig: { Type: "none", Config: {} },
    },
  }
}
