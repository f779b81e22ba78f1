import { describe, expect, it } from "vitest"
import { engineAddress, findEngine } from "./engine-address.ts"

const podman = "/run/podman/podman.sock"
const own = "/run/user/1000/podman/podman.sock"
const environment = { XDG_RUNTIME_DIR: "/run/user/1000" }

const findSocket = (clues: Parameters<typeof findEngine>[0]) => findEngine(clues).shown

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

  it("Y16: an engine on another machine is taken as DOCKER_HOST has it, and no password is shown", () => {
    const secure = engineAddress("tcp://user:secret@build.example:2376", {})
    expect(secure).toEqual({
      shown: "tcp://build.example:2376",
      isSocket: false,
      options: { protocol: "https", host: "build.example", port: "2376" },
    })
    expect(engineAddress("tcp://127.0.0.1:2375", {}).options).toMatchObject({ protocol: "http" })
    expect(engineAddress("ssh://me@build.example", { SSH_AUTH_SOCK: "/run/agent" })).toEqual({
      shown: "ssh://build.example",
      isSocket: false,
      options: {
        ...{ protocol: "ssh", host: "build.example", port: 22, username: "me" },
        sshOptions: { agent: "/run/agent" },
      },
    })
  })

  it("Y16: what is no address is refused, and not repeated", () => {
    for (const address of ["unix://", "secret", "ftp://secret.example"]) {
      const refused = () => findEngine({ environment: { DOCKER_HOST: address } })
      expect(refused).toThrow("DOCKER_HOST is not an address of an engine")
      expect(refused).not.toThrow("secret")
    }
    const environment = { DOCKER_CERT_PATH: "/nowhere" }
    expect(() => engineAddress("tcp://build.example:2376", environment)).toThrow(
      "DOCKER_CERT_PATH has no ca.pem that can be read.",
    )
  })
})
