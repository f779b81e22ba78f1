import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { numbers } from "../../src/sandbox/kernel/syscalls.ts"
import { type AttackGround, openMcpFixture } from "./attack-ground.ts"
import { errors, systemCall } from "./system-call.ts"

let ground: AttackGround
const servers: Server[] = []
let connections = 0

/** A server of the host that counts who comes. */
async function serve(where: { path: string } | { port: number; host: string }): Promise<Server> {
  const server = createServer((socket) => {
    connections += 1
    socket.end("host service\n")
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(where, resolve))
  return server
}

beforeAll(async () => {
  ground = await openMcpFixture()
})
afterAll(async () => {
  for (const server of servers) server.close()
  await ground[Symbol.asyncDispose]()
})

const connectUnix = (name: string) =>
  `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
    connect(S, pack_sockaddr_un("${name}")) or die "connect: $!"; print "connected"'`

describe("the host's network and sockets", () => {
  it("C18: connects to a service on the host's loopback", async () => {
    const server = await serve({ port: 0, host: "127.0.0.1" })
    const address = server.address()
    const port = typeof address === "object" ? address?.port : null
    const addresses = ["127.0.0.1", "localhost", "0.0.0.0", "127.1.2.3"]
    const printed = await ground.print(
      addresses.map((name) => `(echo hi >/dev/tcp/${name}/${port}) && echo connected`).join("; "),
    )
    expect(printed).not.toContain("connected\n")
    expect(printed.match(/Connection refused/g)?.length).toBeGreaterThanOrEqual(3)
    expect(connections).toBe(0)
  })

  it("C18: reaches the metadata address, private networks and the internet", async () => {
    const addresses = ["169.254.169.254", "10.0.0.1", "192.168.0.1", "172.17.0.1", "1.1.1.1"]
    const printed = await ground.print(
      addresses.map((name) => `(echo hi >/dev/tcp/${name}/80) && echo connected`).join("; "),
    )
    expect(printed.match(/Network is unreachable/g)?.length).toBeGreaterThanOrEqual(5)
    expect(printed).not.toContain("connected\n")
  })

  it("C18: asks a name server, by name and by datagram", async () => {
    const printed = await ground.print(`getent hosts example.com && echo resolved
      perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0);
        print send(S, "x", 0, pack_sockaddr_in(53, inet_aton("8.8.8.8"))) ? "sent" : "$!"'`)
    expect(printed).toBe("Network is unreachable")
  })

  it("C18: sees an interface or a route of the host", async () => {
    const devices = await ground.print("tail -n +3 /proc/net/dev; tail -n +2 /proc/net/route")
    expect(devices.trim().split("\n")).toEqual([expect.stringMatching(/^\s*lo:/)])
  })

  it("C18: connects to an abstract unix socket of the host", async () => {
    const name = `toolkeep-${crypto.randomUUID()}`
    await serve({ path: `\0${name}` })
    expect(await ground.print(connectUnix(`\\0${name}`))).toContain("connect: Connection refused")
    expect(await ground.print("cat /proc/net/unix")).not.toContain(name)
    expect(connections).toBe(0)
  })

  it("C18: connects to a unix socket of the host by its path, such as docker.sock", async () => {
    const path = join(ground.directory, "service.sock")
    await serve({ path })
    const paths = [path, "/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"]
    for (const one of paths) {
      expect(await ground.print(connectUnix(one))).toContain("No such file or directory")
    }
    expect(connections).toBe(0)
  })

  it("C18: opens raw and packet sockets, and sockets of families no command needs", async () => {
    const number = numbers.socket[process.arch === "arm64" ? "arm64" : "x64"]
    const open = async (...given: number[]) =>
      (await ground.workspace.exec(systemCall(number, ...given))).stdout
    const [unix, inet, inet6, netlink, packet] = [1, 2, 10, 16, 17]
    const [stream, raw, oldPacket, closeOnExec] = [1, 3, 10, 0x80000]
    expect(await open(inet, raw, 1)).toBe(`-1 ${errors.EPERM}`)
    expect(await open(inet6, raw | closeOnExec, 58)).toBe(`-1 ${errors.EPERM}`)
    expect(await open(inet, oldPacket, 0x300)).toBe(`-1 ${errors.EPERM}`)
    for (const family of [packet, 15, 21, 29, 30, 31, 38, 40, 42, 44]) {
      expect(await open(family, raw, 0)).toBe(`-1 ${errors.EAFNOSUPPORT}`)
    }
    expect(await open(netlink, raw, 12)).toBe(`-1 ${errors.EAFNOSUPPORT}`)
    // What commands do need: programs list their interfaces over netlink.
    for (const given of [
      [unix, stream, 0],
      [inet, stream, 0],
      [netlink, raw | closeOnExec, 0],
    ]) {
      expect(await open(...given)).toMatch(/^[3-9] 0$/)
    }
  })

  it("C18.network: shares a network, a port or an abstract socket with another sandbox", async () => {
    const other = await ground.pool.workspace("server")
    await other.exec(`perl -MIO::Socket::INET -MIO::Socket::UNIX -e '
      $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:7777", Listen => 1) or die $!;
      $u = IO::Socket::UNIX->new(Local => "\\0shared", Listen => 1) or die $!;
      exit if fork; close STDOUT; close STDERR; sleep 60'`)
    const ways = ["(echo hi >/dev/tcp/127.0.0.1/7777) && echo connected", connectUnix("\\0shared")]
    for (const way of ways) {
      expect((await other.exec(way)).stdout).toContain("connected")
      expect(await ground.print(way)).toContain("Connection refused")
    }
  })
})
