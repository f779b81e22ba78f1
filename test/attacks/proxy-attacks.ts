import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { createWorkspace, type Host, type Sandbox } from "../../src/sandbox/index.ts"
import { networkLimits } from "../../src/sandbox/limits.ts"
import type { Dialer } from "../../src/sandbox/network/dialer.ts"
import { openStandIn, publicAddress, type StandIn } from "../support/sandbox/stand-in-fixture.ts"
import { commandMs } from "./attack-ground.ts"

/** Makes the host to attack, with a stand-in for the network beyond it. */
export type OpenHost = (dialer: Dialer) => Promise<AsyncDisposable & { readonly host: Host }>

const { port } = networkLimits
const nothing = "nothing on the allow-list matches"

/** The same attempts from inside a sandbox on every host whose network can be an allow-list. */
export function attackAllowList(openHost: OpenHost): void {
  let standIn: StandIn
  let ground: Awaited<ReturnType<OpenHost>>
  let sandbox: Sandbox
  let workspace: Workspace

  beforeAll(async () => {
    standIn = await openStandIn()
    ground = await openHost(standIn.dialer)
    sandbox = await ground.host.create({
      name: "attacker",
      network: { kind: "allow-list", domains: ["allowed.example", "*.allowed.example"] },
      onNetwork: (decision) => standIn.decisions.push(decision),
    })
    workspace = createWorkspace(sandbox)
  })
  afterAll(async () => {
    await sandbox.destroy()
    await ground[Symbol.asyncDispose]()
    await standIn[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    standIn.decisions.length = 0
    standIn.forget()
  })

  async function print(command: string): Promise<string> {
    const { stdout, stderr } = await workspace.exec(command, { timeoutMs: commandMs })
    return stdout + stderr
  }
  /** What the proxy answers to these very bytes. */
  async function say(bytes: string): Promise<string> {
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; cat >&3; timeout 30 cat <&3`
    const { stdout } = await workspace.exec(command, { stdin: bytes, timeoutMs: commandMs })
    return stdout
  }
  const status = "curl -sSk -o /dev/null -w '%{http_code} %{http_connect}\\n'"
  const refused = (target: string, rule: unknown = nothing) =>
    expect.objectContaining({ target, allowed: false, rule })

  it("C18: asks for the metadata address, by HTTP and by tunnel", async () => {
    expect(await print(`${status} http://169.254.169.254/latest/meta-data/`)).toBe("403 000\n")
    expect(await print(`${status} https://169.254.169.254/`)).toContain("000 403")
    expect(await print(`${status} 'http://[fd00:ec2::254]/'`)).toBe("403 000\n")
    expect(standIn.decisions).toEqual([
      ...[refused("169.254.169.254"), refused("169.254.169.254"), refused("fd00:ec2::254")],
    ])
    expect(standIn.reached).toEqual([])
  })

  it.each([
    ...["10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "0.0.0.0"],
    ...["::1", "fd00::1", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"],
  ])("C18: reaches %s by an allowed name that leads there", async (address) => {
    standIn.names.set("inner.allowed.example", [address])
    expect(await print("curl -sS http://inner.allowed.example/")).toContain(
      `refuses inner.allowed.example:80: it leads to ${address}, a`,
    )
    expect(await print(`${status} https://inner.allowed.example/`)).toContain("000 403")
    const rule = expect.stringContaining(`it leads to ${address}`)
    expect(standIn.decisions).toEqual([
      ...[refused("inner.allowed.example", rule), refused("inner.allowed.example", rule)],
    ])
    expect(standIn.reached).toEqual([])
  })

  it("C18: reaches this machine by an allowed name with the machine's own public address", async () => {
    standIn.names.set("own.allowed.example", ["8.8.4.4"])
    expect(await print("curl -sS http://own.allowed.example/")).toContain("address of this machine")
    expect(standIn.reached).toEqual([])
  })

  it.each([
    "http://169.254.169.254/",
    "http://other.example/",
    "https://127.0.0.1/",
    "http://2130706433/",
  ])("C18: is led to %s by a redirect of an allowed server", async (place) => {
    const from = `http://allowed.example/to/${encodeURIComponent(place)}`
    const printed = await print(`curl -sSkL --noproxy '' -w '%{http_code} %{http_connect}' ${from}`)
    expect(printed).toMatch(/403/)
    expect(standIn.decisions.map(({ allowed }) => allowed)).toEqual([true, false])
    expect(standIn.reached).toEqual([`${publicAddress}:80`])
  })

  it("C18: writes loopback in decimal, octal, hexadecimal, short and mapped form", async () => {
    const forms = [
      ...["2130706433", "017700000001", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1"],
      ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]"],
    ]
    for (const form of forms) {
      const answer = await say(`CONNECT ${form}:443 HTTP/1.1\r\nHost: ${form}:443\r\n\r\n`)
      expect(answer, form).toMatch(/^HTTP\/1\.1 403 /)
      const plain = await say(`GET http://${form}/ HTTP/1.1\r\nHost: ${form}\r\n\r\n`)
      expect(plain, form).toMatch(/^HTTP\/1\.1 403 /)
    }
    const targets = new Set(standIn.decisions.map(({ target }) => target))
    expect([...targets].sort()).toEqual(["127.0.0.1", "::1", "::7f00:1", "::ffff:7f00:1"].sort())
    expect(standIn.reached).toEqual([])
  })

  it("C18: changes a name's address between the check and the connection", async () => {
    standIn.names.set("turning.allowed.example", { inTurn: [[publicAddress], ["127.0.0.1"]] })
    expect(await print("curl -sS http://turning.allowed.example/")).toContain("GET turning")
    expect(await print("curl -sS http://turning.allowed.example/")).toContain(
      "it leads to 127.0.0.1",
    )
    expect(standIn.reached).toEqual([`${publicAddress}:80`])
  })

  it("C18: uses names that look like an allowed one", async () => {
    const names = [
      ...[
        "allowed.example.evil.net",
        "notallowed.example",
        "allowed.example.com",
        "xn--llowed-3ve.example",
      ],
      ...["allowed-example", "allowed.exampl", "allowed.example%2eevil.net"],
    ]
    for (const name of names) {
      standIn.names.set(name, [publicAddress])
      const answer = await say(`CONNECT ${name}:443 HTTP/1.1\r\nHost: ${name}:443\r\n\r\n`)
      expect(answer, name).toMatch(/^HTTP\/1\.1 40[03] /)
    }
    expect(standIn.reached).toEqual([])
  })

  it("C18: hides the target behind user names, other signs and other parts of an address", async () => {
    const addresses = [
      ...["http://allowed.example@evil.net/", "http://allowed.example:80@evil.net/"],
      ...["http://evil.net#@allowed.example/", "http://evil.net\\@allowed.example/"],
      ...["http://evil.net%00.allowed.example/", "http://evil.net?.allowed.example/"],
    ]
    for (const address of addresses) {
      const answer = await say(`GET ${address} HTTP/1.1\r\nHost: allowed.example\r\n\r\n`)
      expect(answer, address).toMatch(/^HTTP\/1\.1 40[03] /)
    }
    expect(standIn.reached).toEqual([])
  })

  it("C18: opens a tunnel to another port of an allowed domain", async () => {
    for (const other of [22, 25, 6379, 8080, 65_535]) {
      const answer = await say(`CONNECT allowed.example:${other} HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect(answer).toContain('"allowed.example" allows only port 80 and 443')
    }
    expect(standIn.reached).toEqual([])
  })

  it("C18: names another site in the Host header than in the address", async () => {
    expect(await print("curl -sS -H 'Host: evil.net' http://allowed.example/")).toContain(
      "its Host header differs",
    )
    const two =
      "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nHost: evil.net\r\n\r\n"
    expect(await say(two)).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(standIn.asked).toEqual([])
  })

  it("C18: smuggles a second request past the proxy inside a first", async () => {
    const inner = "GET /smuggled HTTP/1.1\r\nHost: evil.net\r\n\r\n"
    const start = "POST http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n"
    const attempts = [
      `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`,
      `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${inner}`,
      `Content-Length: 0\r\nContent-Length: 44\r\n\r\n${inner}`,
      `Connection: Content-Length\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    ]
    for (const attempt of attempts) await say(start + attempt)
    const heard = standIn.asked.map(({ message, body }) => [message.method, message.url, body])
    // The last is one request, whose body stays a body.
    expect(heard).toEqual([["POST", "/", inner]])
  })

  it("C18: asks the proxy for HTTPS, files and other schemes in its own name", async () => {
    for (const address of [
      "https://allowed.example/",
      "file:///etc/passwd",
      "ftp://allowed.example/",
    ]) {
      const answer = await say(`GET ${address} HTTP/1.1\r\nHost: allowed.example\r\n\r\n`)
      expect(answer, address).toMatch(/^HTTP\/1\.1 403 /)
    }
    expect(await say("GET /etc/passwd HTTP/1.1\r\nHost: allowed.example\r\n\r\n")).toContain("403")
    expect(standIn.reached).toEqual([])
  })

  it("C18: connects without the proxy, and asks a name server", async () => {
    const addresses = [publicAddress, "169.254.169.254", "10.0.0.1", "1.1.1.1"]
    const direct = await print(
      addresses.map((name) => `(echo hi >/dev/tcp/${name}/443) && echo connected`).join("; "),
    )
    expect(direct.match(/Network is unreachable/g)?.length).toBeGreaterThanOrEqual(4)
    expect(direct).not.toMatch(/^connected$/m)
    expect(await print("curl -sS --noproxy '*' http://allowed.example/")).toContain("not resolve")
    const datagram = `perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0);
      print send(S, "x", 0, pack_sockaddr_in(53, inet_aton("8.8.8.8"))) ? "sent" : "$!"'`
    expect(await print(datagram)).toBe("Network is unreachable")
  })

  it("C18: kills the relay, and finds it again with the same rules", async () => {
    await print("pkill -KILL -f toolkeep-bin/node; true")
    const ask = "curl -sS http://allowed.example/; curl -sS http://other.example/"
    await expect.poll(() => print(ask)).toContain("GET allowed.example / \n")
    expect(await print(ask)).toContain(nothing)
  })

  it("C18: speaks with the proxy's socket itself, and tries to take its place", async () => {
    const ask = (target: string) => `perl -MIO::Socket::UNIX -e '
      $s = IO::Socket::UNIX->new(Peer => "/run/toolkeep/proxy") or die $!;
      print $s "CONNECT ${target}:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"; sysread $s, $b, 4096; print $b'`
    expect(await print(ask("other.example"))).toContain(nothing)
    expect(await print(ask("allowed.example"))).toContain("200 Connection Established")
    const change = "cd /run/toolkeep; rm -f proxy; mv proxy other; chmod 777 proxy; ln -sf x proxy"
    expect((await print(change)).match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(3)
  })

  it("C18: floods the proxy with connections that say nothing", async () => {
    const count = networkLimits.connections * 2
    const flood = `perl -MIO::Socket::INET -e '
      for (1..${count}) { push @s, IO::Socket::INET->new("127.0.0.1:${port}") or last }
      print scalar @s; sleep 1'`
    expect(Number(await print(flood))).toBeGreaterThan(networkLimits.connections)
    const ask = () => print("curl -sS http://allowed.example/")
    await expect.poll(ask).toContain("GET allowed.example")
  })

  it("C18: writes control characters into the record of decisions", async () => {
    await say("CONNECT \u001b[2Jevil\u0007:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    await say("GET http://ev%1b[2Jil/ HTTP/1.1\r\nHost: x\r\n\r\n")
    await say(`CONNECT ${"a".repeat(5_000)}:443 HTTP/1.1\r\nHost: x\r\n\r\n`)
    for (const { target, allowed } of standIn.decisions) {
      expect(allowed).toBe(false)
      expect(target).toMatch(/^[\u0021-\u007e]{0,40}$/)
    }
    expect(standIn.reached).toEqual([])
  })

  it("C18: has an allowed server answer with what no proxy could write", async () => {
    const body = "Content-Length: 2\r\n\r\nhi"
    const answers = [
      ...["000 x", "099 x", "101 x", "600 x", "999 x"].map(
        (status) => `HTTP/1.1 ${status}\r\n${body}`,
      ),
      ...["\u0000", "\u0001", "\u001b[2J"].map((reason) => `HTTP/1.1 200 ${reason}\r\n${body}`),
      `HTTP/1.1 200 OK\r\n__proto__: 1\r\nconstructor: 2\r\nconstructor: 3\r\n${body}`,
      `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)}HTTP/1.1 200 OK\r\n${body}`,
      "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    ]
    const addresses = answers.map(
      (answer) => `http://allowed.example/raw/${encodeURIComponent(answer)}`,
    )
    const asked = addresses
      .map((address) => `${status} -H 'Upgrade: x' '${address}' || true`)
      .join("; ")
    const heard = (await print(asked)).match(/^\d{3} 000$/gm)
    expect(heard).toHaveLength(answers.length)
    for (const line of heard ?? []) expect(line).toMatch(/^(200|502) 000$/)
    expect(await print("curl -sS http://allowed.example/")).toBe("GET allowed.example / \n")
  })

  it("C18: asks for more connections at once than there may be, on one of its own", async () => {
    const ask = "GET http://allowed.example/slow HTTP/1.1\r\nHost: allowed.example\r\n\r\n"
    const held = workspace.exec(
      `exec 3<>/dev/tcp/127.0.0.1/${port}; cat >&3; head -c 1 <&3; : >asked; sleep 2`,
      { stdin: ask.repeat(networkLimits.connections * 2), timeoutMs: commandMs },
    )
    await expect.poll(() => workspace.exists("asked")).toBe(true)
    await held
    expect(standIn.reached.length).toBeLessThanOrEqual(networkLimits.connections)
    const again = () => print("curl -sS http://allowed.example/")
    await expect.poll(again).toBe("GET allowed.example / \n")
  })

  it("C18: looks for another way out: name servers, gateways, links, IPv6, raw sockets", async () => {
    const places = [
      "127.0.0.11/53",
      "172.17.0.1/80",
      "10.88.0.1/80",
      "192.168.0.1/80",
      "fe80::1%eth0/80",
    ]
    const tries = places.map((place) => `(echo hi >/dev/tcp/${place}) && echo connected`).join("; ")
    expect(await print(`ulimit -t 10; ${tries}`)).not.toMatch(/^connected$/m)
    expect(await print("ls /sys/class/net; cat /proc/net/route /proc/net/ipv6_route")).not.toMatch(
      /eth\d|veth|docker|wlan|^default/m,
    )
    const raw = 'perl -MSocket -e \'print socket(S, AF_INET, SOCK_RAW, 1) ? "open" : "$!"\''
    expect(await print(raw)).toMatch(/^(Operation not permitted|Permission denied)$/)
  })

  it("C18: holds on to a tunnel when its domain is taken from the list", async () => {
    const held = workspace.exec(
      `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'CONNECT allowed.example:80 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3
      head -c 39 <&3; : >held; cat <&3; echo over`,
      { timeoutMs: commandMs },
    )
    await expect.poll(() => workspace.exists("held")).toBe(true)
    await sandbox.setNetwork({ kind: "allow-list", domains: ["other.example"] })
    expect((await held).stdout).toBe("HTTP/1.1 200 Connection Established\r\n\r\nover\n")
    expect(await print("curl -sS http://allowed.example/")).toContain(nothing)
  })
}
