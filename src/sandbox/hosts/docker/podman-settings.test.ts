import { describe, expect, it } from "vitest"
import { openLimits, podmanSettings } from "./podman-engine.ts"

const limits = { nofile: 1, nproc: 2 }

describe("a container's settings in Podman's words", () => {
  it("Y16: the filter is a file, and no directory but those that were asked for can be written", () => {
    const { HostConfig } = podmanSettings(
      {
        Image: "image",
        HostConfig: {
          SecurityOpt: ["no-new-privileges", 'seccomp={"defaultAction":"x"}'],
          Tmpfs: { "/tmp": "rw" },
        },
      },
      { volume: null, placed: (profile) => `/file-of-${profile.length}`, limits },
    )
    expect(HostConfig).toMatchObject({
      SecurityOpt: ["no-new-privileges", "seccomp=/file-of-21"],
      Tmpfs: {
        "/tmp": "rw",
        "/run": expect.stringMatching(/^ro,/),
        "/var/tmp": expect.stringMatching(/^ro,/),
      },
      UsernsMode: "host",
    })
  })

  it("O30: asks for no more files and processes than this process may have itself", () => {
    const table = (files: string, processes: string) =>
      [
        "Limit                     Soft Limit           Hard Limit           Units     ",
        `Max processes             10                   ${processes}                processes `,
        `Max open files            1024                 ${files}                files     `,
      ].join("\n")
    const read = (own: string) => (path: string) => (path === "/proc/self/limits" ? own : "32768\n")
    expect(openLimits(read(table("20000", "900")))).toEqual({ nofile: 20_000, nproc: 900 })
    expect(openLimits(read(table("unlimited", "unlimited")))).toEqual({
      nofile: 1_048_576,
      nproc: 32_768,
    })
    const { nofile, nproc } = openLimits()
    expect(nofile).toBeGreaterThan(0)
    expect(nproc).toBeGreaterThan(0)
  })
})
