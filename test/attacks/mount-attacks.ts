import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bubblewrapHost, createWorkspace, type Mount } from "../../src/sandbox/index.ts"
import type { AttackPlaces } from "./ordinary-user.ts"

const rounds = 12

/** Tries to have a directory shown that nobody named, by links that commands put into those that are. */
export async function attackMounts({ directory, outside }: AttackPlaces) {
  writeFileSync(join(outside, "secret"), "the machine's secret")
  chmodSync(outside, 0o777)
  const project = join(directory, "project")
  const other = join(directory, "other")
  const image = join(project, "image.tar")
  for (const path of [project, join(project, "sub"), other]) {
    mkdirSync(path)
    chmodSync(path, 0o777)
    writeFileSync(join(path, "named"), "what was named\n")
  }
  symlinkSync(other, join(project, "link"))
  const host = bubblewrapHost({ directory: join(directory, "sandboxes") })
  const mount = (source: string, writable: boolean): Mount => ({
    source,
    target: `/mnt/${source.split("/").at(-1)}`,
    writable,
  })
  const make = (mounts: readonly Mount[], on = host) => on.create({ name: "test", mounts })
  const refusal = async (mounts: readonly Mount[], on = host) => {
    const made = await make(mounts, on).catch((error: Error) => error)
    if (made instanceof Error) return made.message.replaceAll(directory, "")
    await made.destroy()
    return "made"
  }

  const nested = {
    "a root in a writable one": await refusal([
      mount(project, true),
      mount(join(project, "sub"), true),
    ]),
    "a root that is only read in a writable one": await refusal([
      mount(join(project, "sub"), false),
      mount(project, true),
    ]),
    "a root behind a link in a writable one": await refusal([
      mount(project, true),
      mount(join(project, "link"), true),
    ]),
    "the same root to be read and to be written": await refusal([
      mount(project, true),
      { ...mount(project, false), target: "/mnt/again" },
    ]),
    "a root in one that is only read": await refusal([
      mount(project, false),
      mount(join(project, "sub"), true),
    ]),
    "a writable root in which an image is to be": await refusal(
      [mount(project, true)],
      bubblewrapHost({ directory: join(directory, "sandboxes"), images: { tar: image } }),
    ),
    "a writable root that is an image": await (async () => {
      writeFileSync(image, "")
      const images = { tar: image, tree: other }
      const on = bubblewrapHost({ directory: join(directory, "sandboxes"), images })
      return [
        await refusal([mount(project, true)], on),
        await refusal([mount(other, true)], on),
        await refusal([mount(project, false)], on),
      ]
    })(),
  }

  const attacker = await make([mount(project, true)])
  const victim = await make([mount(join(project, "sub"), true)])
  const [swapper, shown] = [createWorkspace(attacker), createWorkspace(victim)]
  const look = () =>
    shown
      .exec("ls /mnt/sub; cat /mnt/sub/*; echo owned >/mnt/sub/planted; rm -f /mnt/sub/planted")
      .then(
        ({ stdout }) => stdout,
        (error: Error) => error.message.replaceAll(directory, ""),
      )
  const seen = [await look()]
  await swapper.exec(`cd /mnt/project && mv sub kept && ln -s ${outside} sub`)
  const killed = await shown.exec("kill -9 2; sleep 9").catch((error: Error) => error.message)
  seen.push(await look())
  const planted = await refusal([mount(join(project, "sub"), false)])
  await swapper.exec("cd /mnt/project && rm sub && mv kept sub")
  seen.push(await look())

  let isOver = false
  const swap = `cd /mnt/project; until [[ -e stop ]]; do
    mv sub kept; ln -s ${outside} sub; rm sub; mv kept sub; done`
  const swapping = swapper.exec(swap).finally(() => {
    isOver = true
  })
  const raced = new Set<string>()
  for (let round = 0; round < rounds && !isOver; round += 1) {
    await victim.sleep()
    raced.add(await look())
  }
  writeFileSync(join(project, "stop"), "")
  await swapping
  await Promise.all([attacker.destroy(), victim.destroy()])
  return {
    nested,
    killed,
    seen,
    planted,
    raced: [...raced].filter((text) => text.includes("secret")),
    isUntouched: !existsSync(join(outside, "planted")),
  }
}
