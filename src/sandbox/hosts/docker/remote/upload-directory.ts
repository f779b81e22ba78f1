import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createId } from "../../../../kit/index.ts"
import { ownerOf } from "../../../../node/index.ts"
import { fingerprintOf, namesIn, packNames, wholeMark } from "../../../programs/pack-directory.ts"
import { ownerLabel } from "../container-settings.ts"
import type { Engine } from "../engine.ts"

/** A directory of this machine as a volume of the engine's. */
export interface Uploaded {
  readonly volume: string
  /** Where it is on the engine's machine. */
  readonly path: string
}

const inside = "/run/toolkeep-upload"

/** Puts a directory where sandboxes of the engine can see it; once for what is in it, since a volume stays. */
export async function uploadDirectory(
  directory: string,
  { engine, image }: { readonly engine: Engine; readonly image: string },
): Promise<Uploaded> {
  const volume = `toolkeep-${fingerprintOf(directory)}`
  const path = await engine.makeVolume({ Name: volume, Labels: { "toolkeep.programs": "" } })
  const name = `toolkeep-${createId("upload")}`
  try {
    // Never started: the engine unpacks into it as it is.
    const container = await engine.create(name, {
      Image: image,
      Cmd: ["/bin/sh"],
      Labels: { [ownerLabel]: ownerOf(process.pid) },
      HostConfig: { Mounts: [{ Type: "volume", Source: volume, Target: inside }] },
    })
    if (!(await engine.hasFile(container, `${inside}/${wholeMark}`))) {
      writeFileSync(join(directory, wholeMark), "", { flag: "a" })
      const pack = (...names: string[]) =>
        packNames(directory, names, (packed) => engine.unpack(container, packed, inside))
      // By their names: another Toolkeep may put something beside them meanwhile.
      await pack(...namesIn(directory))
      await pack(wholeMark)
    }
  } finally {
    await engine.remove(name)
  }
  return { volume, path }
}
