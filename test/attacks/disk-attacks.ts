import type { Workspace } from "../../src/contract/index.ts"
import { createPool, type Host, type Pool } from "../../src/sandbox/index.ts"

const mebibyte = 1024 ** 2
const diskBytes = 20 * mebibyte

/** A sandbox that may take 20 MiB. */
export interface DiskGround {
  readonly pool: Pool
  readonly workspace: Workspace
}

const name = "limited"

/** What an attack is answered with, for a test in this process or in one of another user's. */
export type Answer = string

/** By what they try. Each takes far more than 20 MiB, unless it is ended or refused. */
export const diskAttacks: Readonly<Record<string, (ground: DiskGround) => Promise<Answer>>> = {
  "files that are removed while they are open": ({ workspace }) =>
    outcome(workspace.exec(`perl -e '${write} for (1..30) { hide("f$_"); pause() }'; sleep 60`)),

  "files that are removed while they are mapped": ({ workspace }) =>
    outcome(
      workspace.exec(`perl -e '${write} for (1..30) { my $f = hide("f$_"); syscall(${calls.mmap}, 0, 4096, 1, 1, fileno($f), 0);
        close $f; @kept = (); pause() } sleep 60'`),
    ),

  "files that are removed and held by a thread whose process has no first thread any more": ({
    workspace,
  }) =>
    outcome(
      workspace.exec(`perl -Mthreads -e '${write} threads->create(sub { for (1..60) { hide("f$_"); pause() } sleep 60 });
        syscall(${calls.exit}, 0)'`),
    ),

  "files that are removed on their way through a socket": ({ workspace }) =>
    outcome(
      workspace.exec(`perl -MSocket -e '${write} socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0);
        for (1..30) { my $f = hide("f$_"); my $byte = "x"; my $part = pack("PQ", $byte, 1);
          my $passed = pack("QiiiI", 20, 1, 1, fileno($f), 0);
          my $message = pack("QIIPQPQi", 0, 0, 0, $part, 1, $passed, 24, 0) . "\\0" x 8;
          syscall(${calls.sendmsg}, fileno($a), $message, 0) == 1 or die "not sent: $!"; close $f; @kept = (); pause() }
        sleep 60'`),
    ),

  "files that are removed and held by a process that becomes another all the time": ({
    workspace,
  }) =>
    outcome(
      workspace.exec(`perl -e '${write} for (1..20) { hide("f$_") }
        while (1) { my $p = fork; exit if $p; select undef, undef, undef, 0.001 }' & sleep 60`),
    ),

  "a home that grows by filling holes once it is full": async ({ workspace }) => {
    await workspace.exec("for i in $(seq 1 40); do truncate -s 10M hole$i; done")
    const full = await outcome(
      workspace.exec("for i in 1 2 3 4 5 6; do head -c 5M /dev/zero >file$i; done; sleep 60"),
    )
    const fill = (from: number) =>
      outcome(
        workspace.exec(`perl -e 'for $i (${from}..${from + 9}) { open my $f, "+<", "hole$i" or die $!;
          my $at = syscall(${calls.mmap}, 0, 10485760, 3, 1, fileno($f), 0); open my $m, "+<", "/proc/self/mem";
          seek $m, $at, 0; print $m "x" x 10485760; close $m }'; sleep 60`),
      )
    const grown = await fill(1)
    const refused = await fill(11)
    await workspace.remove("hole1")
    for (let hole = 1; hole <= 40; hole += 1) await workspace.remove(`hole${hole}`).catch(() => {})
    for (let file = 1; file <= 6; file += 1) await workspace.remove(`file${file}`).catch(() => {})
    return [full, grown, refused, await outcome(workspace.exec("echo on >probe; cat probe"))].join(
      "\n",
    )
  },

  "space that is taken at once, without writing": ({ workspace }) =>
    outcome(
      workspace.exec(`perl -e 'for $mode (0, 1, 16, 17) { open my $f, ">", "f$mode";
        print syscall(${calls.fallocate}, fileno($f), $mode, 0, 10485760) == 0 ? "taken" : "refused", "\\n" }
        open my $f, "+>", "hole"; print $f "x" x 65536; $f->flush;
        print syscall(${calls.fallocate}, fileno($f), 3, 0, 65536) == 0 ? "freed" : "refused: $!", "\\n"'`),
    ),

  "temporary files that a full home is given by a move": async ({ workspace }) => {
    await workspace.exec("for i in 1 2 3 4 5 6; do head -c 5M /dev/zero >/tmp/f$i; done")
    const full = await outcome(
      workspace.exec("for i in 1 2 3 4 5 6; do head -c 5M /dev/zero >file$i; done; sleep 60"),
    )
    const moves = [1, 2, 3, 4, 5, 6].map((file) =>
      outcome(workspace.rename(`/tmp/f${file}`, `moved${file}`).then(() => "moved")),
    )
    return [full, ...(await Promise.all(moves))].join("\n")
  },

  "a link from temporary files back to a full home": async ({ workspace, pool }) => {
    const full = await outcome(
      workspace.exec(`ln -s /home/user /tmp/link
        for i in 1 2 3 4 5 6; do head -c 5M /dev/zero >file$i; done; sleep 60`),
    )
    const source = await pool.workspace("source")
    await source.exec("mkdir tree; head -c 10M /dev/zero >tree/more")
    const move = (path: string, target: string) =>
      pool.transfer(
        { sandbox: "source", path },
        { sandbox: name, path: target },
        { recursive: true },
      )
    return [
      full,
      await outcome(move("tree", "/tmp/link/tree").then(() => "written")),
      await outcome(move("tree/more", "/tmp/link/more").then(() => "written")),
      await outcome(workspace.writeFile("/tmp/link/more", "x").then(() => "written")),
      await outcome(workspace.mkdir("/tmp/link/directory").then(() => "written")),
      await outcome(workspace.copy("file1", "/tmp/link/copy").then(() => "written")),
    ].join("\n")
  },

  "temporary files that become a file of this machine when it sleeps": async ({
    workspace,
    pool,
  }) => {
    const sleep = () => outcome(pool.sleep(name).then(() => "asleep"))
    await workspace.exec(
      "for i in $(seq 1 100); do truncate -s 15M /tmp/h$i; echo x >>/tmp/h$i; done",
    )
    const holes = await sleep()
    const woken = await outcome(
      workspace.exec("stat -c %s /tmp/h100; tail -c 2 /tmp/h100; rm /tmp/h*"),
    )
    await workspace.exec("for i in 1 2 3 4; do head -c 10M /dev/urandom >/tmp/f$i; done")
    const sleeping = await sleep()
    const held = await outcome(pool.snapshot(name))
    const kept = await outcome(workspace.exec("ls /tmp | wc -l; rm /tmp/f*; echo small >/tmp/f"))
    return [holes, woken, sleeping, held, kept, await sleep()].join("\n")
  },

  "snapshot after snapshot, each of files that the next does not have": async ({
    workspace,
    pool,
  }) => {
    const answers: string[] = []
    const held: string[] = []
    for (let round = 1; round <= 5; round += 1) {
      const write = `rm -f f*; head -c 6M /dev/urandom >f${round}; sleep 1; echo written`
      answers.push(await outcome(workspace.exec(write)))
      const id = await outcome(pool.snapshot(name))
      if (id.startsWith("snapshot_")) held.push(id)
      else answers.push(id)
    }
    for (const id of held) await pool.removeSnapshot(id)
    await workspace.exec("rm -f f*")
    await pool.sleep(name)
    answers.push(await outcome(workspace.exec("head -c 6M /dev/urandom >f; sleep 1; echo again")))
    return answers.join("\n")
  },
}

/** By perl's `syscall`, on the two architectures there are. */
const calls =
  process.arch === "arm64"
    ? { mmap: 222, sendmsg: 211, fallocate: 47, exit: 93 }
    : { mmap: 9, sendmsg: 46, fallocate: 285, exit: 60 }

/** In perl: a file of 4 MiB without a name, which is kept open; and a moment's rest, as a real writer takes. */
const write = `my @kept; sub hide { my $n = shift; open my $f, "+>", $n or die $!; print $f "x" x 4194304;
  $f->flush; unlink $n; push @kept, $f; $f } sub pause { select undef, undef, undef, 0.05 } $| = 1; use IO::Handle;`

/** Its output, or why it failed. */
async function outcome(
  work: Promise<string | undefined | { readonly stdout: string; readonly stderr: string }>,
): Promise<string> {
  try {
    const done = await work
    return typeof done === "object" ? (done.stdout + done.stderr).trim() : String(done)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Makes a sandbox for one attack and takes it away again. */
export async function attackDisk(host: Host, attack: string): Promise<Answer> {
  const pool = createPool(host)
  try {
    await pool.create({ name, limits: { diskBytes } })
    const ground = { pool, workspace: await pool.workspace(name) }
    return (await diskAttacks[attack]?.(ground)) ?? "no such attack"
  } finally {
    await pool.destroy()
  }
}

/** Those that an ordinary user's Toolkeep sees otherwise than root's. */
export const unprivileged: readonly (keyof typeof diskAttacks)[] = [
  "files that are removed while they are open",
  "files that are removed while they are mapped",
  "files that are removed on their way through a socket",
  "temporary files that become a file of this machine when it sleeps",
  "snapshot after snapshot, each of files that the next does not have",
]
