import type { Subject } from "./conformance-check.ts"
import { prepare, whenExists } from "./running-work.ts"

/** The port of a server inside, or what was looked for and is not there. */
export type StartedServer =
  | { readonly kind: "listening"; readonly port: number; readonly program: string }
  | { readonly kind: "no-program"; readonly looked: string }

/**
 * The same server in three languages: it greets, sends back what it gets, hangs up when told to quit,
 * and writes one byte into a file for each connection that is over.
 */
const servers: Readonly<Record<string, readonly string[]>> = {
  perl: [
    "-e",
    `use IO::Socket::INET; $SIG{CHLD} = "IGNORE";
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 0, Listen => 16) or die;
open(my $file, ">", "port.new"); print $file $server->sockport; close $file; rename "port.new", "port";
while (my $peer = $server->accept) {
  if (fork) { close $peer; next }
  close $server; $SIG{PIPE} = "IGNORE"; syswrite($peer, "ready\\n");
  while (sysread($peer, my $data, 65536)) {
    last if $data eq "quit\\n";
    my $sent = 0;
    while ($sent < length $data) { $sent += syswrite($peer, $data, length($data) - $sent, $sent) || last }
  }
  open(my $closed, ">>", "closed"); print $closed "x"; close $closed; exit;
}`,
  ],
  python3: [
    "-c",
    `import os, socket, threading
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(16)
with open("port.new", "w") as file: file.write(str(server.getsockname()[1]))
os.rename("port.new", "port")
def serve(peer):
    try:
        peer.sendall(b"ready\\n")
        while data := peer.recv(65536):
            if data == b"quit\\n": break
            peer.sendall(data)
    except OSError: pass
    peer.close()
    with open("closed", "a") as file: file.write("x")
while True: threading.Thread(target=serve, args=(server.accept()[0],)).start()`,
  ],
  node: [
    "-e",
    `const { appendFileSync, renameSync, writeFileSync } = require("node:fs");
const server = require("node:net").createServer((peer) => {
  peer.on("error", () => {}).on("close", () => appendFileSync("closed", "x"));
  peer.on("data", (data) => String(data) === "quit\\n" ? peer.end() : peer.write(data));
  peer.write("ready\\n");
});
server.listen(0, "127.0.0.1", () => {
  writeFileSync("port.new", String(server.address().port)); renameSync("port.new", "port");
});`,
  ],
}

/** Starts it with whichever program there is inside; it goes with the sandbox. */
export async function startServer(subject: Subject): Promise<StartedServer> {
  const { workspace } = subject
  const programs = Object.keys(servers)
  const find = `for name in ${programs.join(" ")}; do $name -h >/dev/null 2>&1 && echo $name; done`
  const found = (await workspace.exec(find)).stdout.split("\n").filter(Boolean)
  const [program] = found
  if (program === undefined) return { kind: "no-program", looked: programs.join(", ") }
  const [option = "", text = ""] = servers[program] ?? []
  await workspace.writeFile("server", text)
  await prepare(
    workspace,
    `${program} ${option} "$(cat server)" >server.log 2>&1 </dev/null & disown`,
  )
  await whenExists(subject, "port")
  return { kind: "listening", port: Number(await workspace.readFile("port")), program }
}
