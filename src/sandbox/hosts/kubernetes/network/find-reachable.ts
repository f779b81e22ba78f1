import type { CommandRun } from "../../../host/operation.ts"
import { kubernetesLimits } from "../../../limits.ts"
import { injectedNode } from "../../../programs/injected-node.ts"

/** Something that a pod may reach. */
export interface NetworkTarget {
  /** For people, such as "its node". */
  readonly name: string
  readonly host: string
  readonly port: number
}

/** Runs a program inside and answers what it printed. */
export type RunInside = (command: readonly string[]) => Promise<string>

/** A program as the operation that runs it. */
export function commandOf(command: readonly string[]): CommandRun {
  return {
    ...{ kind: "command.run", command: [...command], cwd: "/", env: {} },
    ...{ stdin: new Uint8Array(), timeoutMs: null, idleTimeoutMs: null, maxOutputBytes: 65_536 },
  }
}

const dns = "DNS"

/** The names of what a pod reaches: of these targets, and of its name servers. */
export async function findReachable(
  run: RunInside,
  targets: readonly NetworkTarget[],
): Promise<readonly string[]> {
  const { reachMs } = kubernetesLimits
  const given = JSON.stringify({ targets, reachMs, dns })
  const found: unknown = JSON.parse(await run([injectedNode, "-e", script, given]))
  if (!Array.isArray(found)) throw new Error("The pod does not say what it reaches.")
  return found.map(String)
}

/** What is listened on while another pod tries to connect. */
export const listenPort = 17_581

/** Listens, says its own addresses, and goes on until it is ended. */
export const listenCommand: readonly string[] = [
  ...[injectedNode, "-e"],
  `const own = Object.values(require("os").networkInterfaces()).flat();
const addresses = own.filter(({ internal }) => !internal).map(({ address }) => address);
require("net").createServer((socket) => socket.end()).listen(${listenPort}, () => console.log(JSON.stringify(addresses)))`,
]

/** Only what takes a connection or answers counts: a wall may also refuse. */
const script = `
const { targets, reachMs, dns } = JSON.parse(process.argv[1]);
const net = require("net"), dgram = require("dgram"), fs = require("fs");
const connect = ({ name, host, port }) => new Promise((resolve) => {
  const socket = net.connect({ host, port });
  const end = (found) => { socket.destroy(); resolve(found ? [name] : []); };
  setTimeout(end, reachMs, false);
  socket.once("connect", () => end(true)).once("error", () => end(false));
});
const ask = (host) => new Promise((resolve) => {
  const socket = dgram.createSocket(host.includes(":") ? "udp6" : "udp4");
  let isOver = false;
  const end = (found) => { if (!isOver) { isOver = true; socket.close(); resolve(found ? [dns] : []); } };
  setTimeout(end, reachMs, false);
  socket.once("message", () => end(true)).once("error", () => end(false));
  const question = Buffer.from("0a0001000001000000000000046e616d650000010001", "hex");
  socket.send(question, 53, host, (error) => { if (error) end(false); });
});
let servers = [];
try {
  servers = [...fs.readFileSync("/etc/resolv.conf", "utf8").matchAll(/^nameserver\\s+(\\S+)/gm)].map(([, host]) => host);
} catch {}
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const service = host ? [{ name: "the API server", host, port: Number(port) }] : [];
const nameServers = servers.map((host) => ({ name: dns, host, port: 53 }));
Promise.all([...[...targets, ...service, ...nameServers].map(connect), ...servers.map(ask)])
  .then((found) => { process.stdout.write(JSON.stringify([...new Set(found.flat())]), () => process.exit(0)); });
`
