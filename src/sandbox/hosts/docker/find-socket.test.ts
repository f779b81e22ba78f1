import { describe, expect, it } from "vitest"
import { findSocket } from "./examine-engine.ts"

const podman = "/run/podman/podman.sock"
const own = "/run/user/1000/podman/podman.sock"
const environment = { XDG_RUNTIME_DIR: "/run/user/1000" }

const among =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path)

describe("where an engine is looked for", () => {
  it("Y16: what DOCKER_HOST says comes first, then Docker's usual place, then Podman's", () => {
    const docker = "/var/run/docker.sock"
    const told = { ...environment, DOCKER_HOST: "unix:///somewhere/else.sock" }
    expect(findSocket({ environment: told, isThere: () => true })).toBe("/somewhere/else.sock")
    const isThere = among(docker, own, podman)
    expect(findSocket({ environment: { ...environment, DOCKER_HOST: "" }, isThere })).toBe(docker)
    expect(findSocket({ environment, isThere: among(own, podman) })).toBe(own)
    expect(findSocket({ environment, isThere: among(podman) })).toBe(podman)
    expect(findSocket({ environment: {}, isThere: among(own, podman) })).toBe(podman)
  })

  it("Y16: where there is none, the answer says where it was looked for", () => {
    expect(() => findSocket({ environment, isThere: () => false })).toThrow(
      `No container engine was found, neither by DOCKER_HOST nor at /var/run/docker.sock, ${own}, ${podman}. Start Docker or Podman, or use another host.`,
    )
  })

  it("Y16: an engine on another machine is refused, and its address is not repeated", () => {
    for (const address of [
      "tcp://user:secret@build.example:2376",
      "ssh://build.example",
      "unix://",
    ]) {
      const refused = () => findSocket({ environment: { DOCKER_HOST: address } })
      expect(refused).toThrow("DOCKER_HOST is not a unix socket")
      expect(refused).not.toThrow("secret")
    }
  })
})
