import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adaptHost, type Host, localHost, memoryHost } from "../../src/sandbox/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { type ImageGround, openImageGround } from "./image-ground.ts"
import { makeSmallRoot } from "./small-root.ts"

let ground: ImageGround
beforeAll(async () => {
  ground = await openImageGround(makeSmallRoot)
}, 120_000)
afterAll(() => ground[Symbol.asyncDispose]())

describe("images named as document 002 names them", () => {
  it("X5.used, C7.image, C8.fields: are used where the host has them, through sandbox.create and through sandbox_create", async () => {
    const host = await ground.hostWith({ "node:22": ground.root, "python:3.12": ground.root })
    await using keep = await openToolkeep({ host, dialect: "cloudflare" })
    const session = keep.session()
    const create = (input: object) => session.start("sandbox_create", input).envelope
    expect(await create({ sandbox: "frontend" })).toMatchObject({ result: { created: true } })
    expect(await create({ sandbox: "backend", image: "python:3.12" })).toMatchObject({ ok: true })
    expect(await session.call("sandbox.create", { sandbox: "x", image: "node:22" })).toMatchObject({
      result: { image: "node:22", created: true },
    })
    const { envelope } = session.start("sandbox_list", {})
    expect(await envelope).toMatchObject({
      result: {
        sandboxes: [
          { name: "frontend", image: "node:22" },
          { name: "backend", image: "python:3.12" },
          { name: "x", image: "node:22" },
        ],
      },
    })
    const command = { command: "cat /etc/image-name", sandbox: "frontend" }
    expect(await session.start("shell", command).envelope).toMatchObject({
      result: { stdout: "small\n" },
    })
  })

  it.each([
    [
      "bubblewrap",
      () => ground.hostWith({}),
      'Provide it in toolkeep.yaml, such as images: { "node:22": ./image.tar }, with a tar that docker save wrote.',
    ],
    [
      "memory",
      async () => memoryHost(),
      "The memory host has no images: use --host docker, or --host bubblewrap with images in toolkeep.yaml.",
    ],
    [
      "local",
      async () => localHost({ directoryFor: () => ground.base }),
      "The local host has no images: its commands use this machine's own programs.",
    ],
    ["an adapted", async () => bare(), "The bare host has no images to choose from."],
  ])(
    "X5.sentence: one that %s host lacks is refused with how to provide it, in every vocabulary",
    async (_, open, remedy) => {
      const host = await open()
      const message = `There is no image "node:22" here. ${remedy}`
      const refused = { ok: false, kind: "invalid_args", field: "image", message }
      const input = { sandbox: "frontend", image: "node:22" }
      await using keep = await openToolkeep({ host, dialect: "cloudflare" })
      const session = keep.session()
      expect(await session.call("sandbox.create", input)).toMatchObject(refused)
      expect(await session.call("sandbox.create", input)).toMatchObject(refused)
      await expect(session.sandboxes.create({ name: "x", image: "node:22" })).rejects.toMatchObject(
        {
          message,
        },
      )
      // Without a name it is the host's own: a default that the host can't keep is not promised.
      const made = await session.start("sandbox_create", { sandbox: "backend" }).envelope
      expect(made).toMatchObject({ result: { sandbox: "backend", created: true } })
    },
  )
})

function bare(): Host {
  return adaptHost({
    name: "bare",
    summary: "For a test.",
    can: { isolation: "virtual" },
    home: "/home/user",
    create: async () => ({
      exec: async () => ({ exitCode: 0, stdout: "", stderr: "" }),
      readFile: async () => "",
      writeFile: async () => {},
      stat: async () => null,
      readdir: async () => [],
    }),
  })
}
