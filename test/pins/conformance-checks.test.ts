import { expect, it } from "vitest"
import { conformanceChecks } from "../../src/testing/index.ts"

it("F21: the promises that the conformance suite measures are these, in this order", () => {
  const promises = Object.fromEntries(conformanceChecks.map(({ id, promise }) => [id, promise]))
  expect(Object.keys(promises)).toEqual(Object.keys(pinned))
  expect(promises).toEqual(pinned)
  expect(conformanceChecks).toHaveLength(Object.keys(pinned).length)
})

const pinned: Readonly<Record<string, string>> = {
  "exit-codes.zero": "a command that ends well has exit code 0",
  "exit-codes.number": "a command's own exit code is reported",
  "exit-codes.highest": "exit code 255 is reported as 255",
  "exit-codes.last": "the last command of a list decides the exit code",
  "exit-codes.missing-command": "a command that does not exist has exit code 127",
  "exit-codes.own-124": "a command that itself exits with 124 has not timed out",
  "exit-codes.nested": "the exit code of a shell inside the shell is passed on",
  "exit-codes.not-executable": "a file that may not be executed has exit code 126",
  "exit-codes.killed": "a command killed by a signal has exit code 128 and the signal's number",
  "exit-codes.terminated": "a command ended by SIGTERM from inside has exit code 143",
  "exit-codes.syntax-error":
    "a command with a syntax error fails with a message on stderr and no other output",
  "output.separate": "stdout and stderr are kept apart",
  "output.order": "within each stream the output keeps its order",
  "output.ten-megabytes": "10 MB of output arrive complete",
  "output.many-lines": "output of very many lines arrives complete",
  "output.binary": "binary output is exact to the byte, on both streams",
  "output.both-full": "a command may fill stderr before it writes to stdout",
  "output.empty": "a command that writes nothing has empty output",
  "output.no-last-newline": "output is neither trimmed nor ended by a newline of the host's own",
  "output.split-characters": "a character that arrives in two parts is decoded as one",
  "output-limits.head-and-tail":
    "of output beyond its limit the head and the tail are kept, and the rest is counted exactly",
  "output-limits.each-stream": "the limit holds for each stream by itself",
  "output-limits.exactly-full": "output that just fits its limit is complete",
  "output-limits.said-in-text":
    "where output was left out, the text says how much, and no character is split",
  "live-output.while-it-runs": "output arrives while the command still runs",
  "live-output.complete":
    "live output carries every byte of each stream, also those that the result leaves out",
  "live-output.never-late": "no output arrives after the command's result",
  "timeouts.deadline": "a command that runs past its deadline is ended, with exit code 124",
  "timeouts.busy-loop": "a busy loop is ended at its deadline",
  "timeouts.pipeline": "a pipeline is ended at its deadline",
  "timeouts.argument-list": "a command given as a list is ended at its deadline",
  "timeouts.stubborn": "a command that ignores the request to end is killed after a grace",
  "timeouts.work-stops": "when the deadline's answer comes, the work inside has really stopped",
  "timeouts.output-kept": "what a command wrote before its deadline is in its result",
  "timeouts.files-kept": "files that a command wrote before its deadline stay",
  "timeouts.next-works": "the command after one that timed out works",
  "timeouts.neighbour": "the deadline of one command leaves the others running",
  "timeouts.far": "a deadline further away than a 32-bit timer reaches does not fire at once",
  "timeouts.not-waited-for": "a command that ends before its deadline is answered at once",
  "idle-timeouts.silence":
    "a command that writes nothing for its idle timeout is ended, with exit code 124",
  "idle-timeouts.reset": "each byte on stdout restarts the idle timeout",
  "idle-timeouts.stderr-counts": "a byte on stderr restarts the idle timeout as well",
  "idle-timeouts.work-stops":
    "when the idle timeout's answer comes, the work inside has really stopped",
  "idle-timeouts.far":
    "an idle timeout further away than a 32-bit timer reaches does not fire at once",
  "idle-timeouts.with-deadline": "beside an idle timeout the deadline still holds",
  "abort.before": "work whose signal is already aborted is not begun",
  "abort.during": "a running command that is aborted rejects with the signal's reason",
  "abort.output": "a command that is aborted still has the output that it wrote before",
  "abort.busy-loop": "a busy loop that is aborted is ended",
  "abort.work-stops": "when the abort's answer comes, the work inside has really stopped",
  "abort.after-end": "an abort after the end changes nothing",
  "abort.files-kept":
    "files that a command wrote before it was aborted stay, and the next command works",
  "abort.neighbour": "aborting one command leaves the others running",
  "abort.write":
    "a write that is aborted leaves the old content or the new, never a part, and nothing beside it",
  "process-groups.deadline":
    "a deadline ends a command together with its children and grandchildren",
  "process-groups.abort": "an abort ends a command together with its children and grandchildren",
  "process-groups.stubborn": "a child that ignores the request to end is killed with its command",
  "process-groups.setsid":
    "a child that left the group with setsid is ended by the deadline as well",
  "process-groups.setsid-abort":
    "a child that left the group with setsid is ended by an abort as well",
  "process-groups.held-pipe":
    "a background child that holds the output open does not hold up the result",
  "process-groups.held-pipe-deadline":
    "at a deadline, a child outside the group that holds the output open does not hold up the result",
  "process-groups.destroy":
    "destroying a sandbox ends whatever still runs in it, in its group or not",
  "commands.bash": "a command given as text is read by bash",
  "commands.lines": "a command may have many lines, with functions and here-documents",
  "commands.leading-dash":
    "a command that begins with a dash is a command, not an option of the shell",
  "commands.long": "a command of 300,000 characters runs whole",
  "commands.nul": "a command with a NUL character is refused, never cut there",
  "commands.list-unread":
    "the words of a command given as a list reach it as they are, unread by any shell",
  "commands.list-long": "a command given as a list may have 2,000 words",
  "commands.list-missing":
    "a program of a list that does not exist has exit code 127 and says so on stderr",
  "commands.list-options":
    "a command given as a list gets its directory, variables and input like any other",
  "commands.script": "a script that was written with permission to execute runs",
  "working-directory.default": "a command starts in the sandbox's home, where relative paths begin",
  "working-directory.option": "a command starts in the directory it is given",
  "working-directory.pwd": "pwd and the parent directory are what they should be",
  "working-directory.names":
    "the directory of a command may have spaces, quotes and line breaks in its name",
  "working-directory.missing":
    "a command in a directory that does not exist fails as not-found and does not run",
  "working-directory.file": "a command in a directory that is a file fails as not-directory",
  "working-directory.child":
    "a child workspace starts commands and paths in its own directory and keeps deadlines",
  "environment.given": "variables given to a command reach it exactly",
  "environment.exported": "variables given to a command reach the commands that it starts",
  "environment.only-that-command":
    "variables given to one command are unknown to the next and to those beside it",
  "environment.added":
    "variables given to a command are added to the default ones and win over them",
  "environment.host-hidden":
    "the environment of the process that uses the host is not visible to commands",
  "fresh-commands.variables": "variables of one command are unknown to the next",
  "fresh-commands.path": "a command that breaks its PATH leaves the next one's whole",
  "fresh-commands.directory": "a command that changes its directory leaves the next one in its own",
  "fresh-commands.functions": "functions and aliases of one command are unknown to the next",
  "fresh-commands.options": "shell options of one command do not hold for the next",
  "fresh-commands.streams": "a command that redirects its own output leaves the next one's alone",
  "fresh-commands.traps": "traps of one command do not fire in the next",
  "fresh-commands.exit": "a command that ends its shell in the middle leaves the next one working",
  "fresh-commands.umask": "the umask of one command does not hold for the next",
  "stdin.exact": "input reaches a command exact to the byte",
  "stdin.text": "input given as text reaches a command as UTF-8",
  "stdin.large": "4 MB of input pass through a command while it writes them out",
  "stdin.closed": "without input a command that reads finds the end at once",
  "stdin.unread": "input that a command does not read neither hangs nor fails it",
  "stdin.own": "of commands at the same time each gets its own input",
  "stdin.live": "a command reads its input as it comes, and answers before the input has ended",
  "concurrency.twenty":
    "20 commands of one sandbox at once run side by side, in three rounds at most",
  "concurrency.own-output": "of commands at the same time each gets its own output and exit code",
  "concurrency.files-beside-command": "files can be used while a command runs, even a busy one",
  "concurrency.appends": "appends at the same time all arrive whole",
  "concurrency.writes": "of writes at the same time one wins whole",
  "file-content.text": "text is read as it was written",
  "file-content.bytes": "bytes are read as they were written",
  "file-content.part-of-buffer": "of a view into a larger buffer only the view is written",
  "file-content.shorter": "a shorter content leaves nothing of the longer one before it",
  "file-content.seen-by-commands":
    "what is written through the workspace is there for the next command",
  "file-content.seen-by-workspace":
    "what a command writes is there for the workspace when the command has ended",
  "file-ranges.middle": "a range of a file is read exactly",
  "file-ranges.open":
    "a range without a length goes to the end, one without an offset begins at the start",
  "file-ranges.past-end": "a range past the end gives what there is, which may be nothing",
  "file-ranges.nothing": "a range of length 0 is empty",
  "file-ranges.bytes-not-characters": "ranges count bytes, not characters",
  "file-ranges.big-file": "a small range of a big file is read without reading the rest",
  "file-writes.append": "an append adds to the end and keeps what was there",
  "file-writes.append-creates":
    "an append to a file that does not exist makes it, with its directories",
  "file-writes.parents": "a write makes the directories that are missing",
  "file-writes.atomic": "a reader beside a writer sees the old content or the new, never a mixture",
  "file-writes.nothing-left":
    "no write leaves a file of its own making behind, not even one that fails",
  "file-writes.mode": "a new file gets the permission bits it is given",
  "file-writes.mode-kept": "a file that exists keeps its permission bits when it is written",
  "file-writes.through-link":
    "a write to a link inside the workspace changes the file it leads to, and the link stays",
  "file-failures.missing": "what does not exist fails as not-found",
  "file-failures.read-directory": "reading a directory as a file fails as is-directory",
  "file-failures.write-directory": "writing over a directory fails as is-directory",
  "file-failures.list-file": "listing a file fails as not-directory",
  "file-failures.below-file": "a path below a file fails as not-directory",
  "file-failures.special-file":
    "reading or writing a named pipe fails as not-file instead of hanging",
  "file-failures.messages": "a failure names the path that it is about",
  "file-stat.file": "stat tells a file's type and its size in bytes",
  "file-stat.directory": "stat tells a directory",
  "file-stat.time": "stat tells when a file was last changed",
  "file-stat.mode": "stat tells the permission bits that a command has set",
  "file-stat.exists": "exists tells what is there and what is not",
  "file-names.unicode": "file names may be in any script",
  "file-names.spaces": "file names may have spaces and tabs, also at their ends",
  "file-names.line-breaks": "file names may have line breaks and control characters",
  "file-names.shell-words": "file names may have all characters that a shell interprets",
  "file-names.leading-dash": "file names may begin with a dash",
  "file-names.dots": "names that only look like special ones are ordinary",
  "file-names.long": "file names may have 255 bytes",
  "file-names.too-long": "a file name of 256 bytes fails as name-too-long",
  "file-names.deep": "paths may be 40 directories deep and 2,000 bytes long",
  "file-names.normal-forms":
    "a name in composed and one in decomposed form are two files, or one, but never confused",
  "file-names.cleaned":
    "dots and doubled slashes in a path are resolved before anything is looked up",
  "file-names.nul": "a path with a NUL character is refused, never cut there",
  "links.followed": "links inside the workspace are followed by read, stat and listing",
  "links.absolute": "a link with an absolute target inside the workspace is followed",
  "links.dangling": "a link that leads nowhere does not exist for read, stat and exists",
  "links.loop": "a chain of links that never ends fails as link-loop",
  "links.outside-read": "no link leads a read or a stat to a file outside the workspace",
  "links.outside-list": "no link leads a listing to a directory outside the workspace",
  "links.outside-write": "no link leads a write or an append to anything outside the workspace",
  "links.outside-directory": "no link leads a command's own directory outside the workspace",
  "listing.sorted": "a listing is sorted by the characters of the names, the same on every host",
  "listing.typed": "a listing tells files, directories and links apart, and does not follow links",
  "listing.other": "a listing tells a named pipe from a file",
  "listing.hidden": "a listing shows hidden names, but not the directory itself or its parent",
  "listing.empty": "an empty directory lists as empty",
  "listing.limited": "a limited listing gives the first entries in order",
  "listing.two-thousand": "a directory of 2,000 entries lists completely",
  "sandbox-life.ready": "a host that can create sandboxes reports that it is ready",
  "sandbox-life.declared": "a sandbox can do what its host declares",
  "sandbox-life.home": "a new sandbox has a home, which is a directory inside its roots",
  "sandbox-life.separate": "two sandboxes share no files at the same relative path",
  "sandbox-life.destroy-one": "destroying one sandbox leaves the others working",
  "sandbox-life.destroy-twice": "destroying a sandbox twice is safe",
  "sandbox-life.destroy-answers": "destroying a sandbox answers every command that still runs",
  "sandbox-life.after-destroy": "a destroyed sandbox refuses work instead of hanging",
  "network.undeclared": "a network that the host does not declare is refused",
  "network.none":
    "without a network neither this machine's loopback nor the metadata address is reached",
  "network.allow-list":
    "what is not on an allow-list is refused with 403, by request and by tunnel",
  "network.decisions": "every decision on a connection is reported with the rule that made it",
  "network.private": "an allowed name that leads to a private address is refused",
  "network.direct": "with an allow-list nothing is reached but through the proxy",
  "network.change": "the network of a running sandbox can be changed, and holds from then on",
  "network.malformed": "a rule that names no domain is refused",
  "directories.make": "a directory is made together with those above it, and commands see it",
  "directories.make-existing":
    "making a directory that is there already is fine and changes nothing in it",
  "directories.make-over-file":
    "a file in the way of a directory is left alone, and refused as not-directory",
  "directories.make-mode": "a directory is made with the permission bits that were asked for",
  "directories.remove": "a file and an empty directory are removed",
  "directories.remove-full":
    "a directory with something in it is refused as not-empty and left whole",
  "directories.remove-recursive":
    "a directory is removed with all that is in it when that was asked for",
  "directories.remove-link": "removing a link leaves what it leads to",
  "directories.remove-missing": "removing what is not there fails as not-found",
  "directories.odd-names": "directories of any name are made, moved, copied and removed",
  "directories.outside":
    "no link leads the making, removing, moving or copying of files outside the workspace",
  "directories.rename":
    "a file and a whole directory are moved, and the directories above are made",
  "directories.rename-over-file": "a moved file takes the place of the file that is there",
  "directories.rename-over-directory":
    "nothing moved takes the place of a directory, and nothing lands inside it",
  "directories.rename-keeps": "a moved file keeps its content, its permission bits and its time",
  "directories.rename-missing":
    "moving or copying what is not there fails as not-found and leaves the target",
  "directories.copy":
    "a copied file has the same content, permission bits and time, and a place of its own",
  "directories.copy-over-file": "a copied file takes the place of the file that is there",
  "directories.copy-tree": "a copied directory has everything the source has, and links stay links",
  "directories.copy-over-directory":
    "nothing copied takes the place of a directory, and nothing lands inside it",
  "trees.same": "a tree that is exported and imported into another sandbox is the same tree",
  "trees.big-file": "a file of 20 MiB passes from one sandbox to another unchanged",
  "trees.merge":
    "a tree imported into a directory keeps what else is there and replaces what it has",
  "trees.one-file":
    "one file lands at exactly the path it is imported to, with its permission bits",
  "trees.one-file-refused": "what is not one file is not imported as one, and leaves what is there",
  "trees.missing": "exporting what is not there fails as not-found before there is a stream",
  "trees.import-over-file":
    "a tree imported to where a file is fails as not-directory and leaves the file",
  "trees.cancelled-export": "a cancelled export ends its work, and the sandbox goes on",
  "trees.aborted-import": "an aborted import rejects with the reason, and the sandbox goes on",
  "transfer.tree": "a tree goes from one sandbox to another, and its bytes are counted",
  "transfer.file": "a file is afterwards at exactly the path that was said",
  "transfer.other-host": "a tree goes to a sandbox of another host and comes back the same",
  "trees.dots": "names in an archive that go upwards land nowhere outside the target",
  "trees.absolute-names": "absolute names in an archive land nowhere outside the target",
  "trees.links-in-archive": "no link in an archive leads its next entries outside the target",
  "trees.links-in-target": "no link in the target leads an archive outside the target",
  "trees.hard-links": "no hard link in an archive reaches a file outside the target",
  "trees.truncated": "an archive that ends too early is a failure",
  "trees.broken-source": "an archive whose source fails is a failure",
  "trees.not-an-archive": "what is not an archive at all is a failure",
  "code.prints": "a program in every listed language prints, whatever the text",
  "code.exit-code": "a program's exit code is reported",
  "code.stdin": "a program reads its input to the end",
  "code.directory": "a program runs in the directory it is given",
  "code.environment": "a program sees the variables it is given",
  "code.timeout": "a deadline ends a program that never ends",
  "code.unlisted": "a language that the host does not list is refused with those it does",
  "code.programs": "commands find every program that the host lists",
  "background.start":
    "a process in the background is started at once, and its number is alive inside",
  "background.list-arguments": "a list of arguments is started as it is, without a shell",
  "background.settings":
    "a process in the background has the directory, variables and input it is given",
  "background.output": "output is read from a byte on while the process goes on writing",
  "background.exit-code":
    "a process in the background is running until it has exited with its code",
  "background.wait": "waiting for a process ends at its deadline while the process goes on",
  "background.log-file": "the output of a process, both streams, is a file of the sandbox",
  "background.list": "all processes in the background are listed, those that are over too",
  "background.unknown": "a process that was never started is not_found",
  "background.kill-group":
    "killing a process ends its children too, and reports that a user did it",
  "background.kill-gently": "a killed process is asked to end and has the grace to do it in",
  "background.kill-once":
    "a killed process is asked to end once, as a second request would be an order",
  "background.kill-now":
    "a process that ignores the request to end is killed at once without a grace",
  "background.survives": "a process in the background survives the commands that come after it",
  "background.destroy": "a process in the background is ended when its sandbox is destroyed",
  "terminal.tty": "a program in a terminal finds one, of the size that was asked for",
  "terminal.typed": "what is typed is shown, and reaches the program line by line",
  "terminal.resize": "a program gets SIGWINCH for a new size, and finds it",
  "terminal.interrupt": "a program gets SIGINT when Ctrl-C is typed",
  "terminal.exit-code": "the exit code of the program is reported",
  "terminal.unread": "a program whose output nobody reads waits, and loses nothing",
  "terminal.close": "closing a terminal ends everything that was started in it",
  "ports.reached": "a server inside is reached by its port",
  "ports.both-ways": "a connection carries bytes in both directions",
  "ports.megabyte": "a connection carries a megabyte each way unchanged",
  "ports.two-at-once": "two connections at once do not disturb each other",
  "ports.server-ends": "when the server ends a connection, so does its readable side",
  "ports.closed": "closing a connection ends it inside",
  "ports.refused": "a port that nobody listens on is refused as unavailable",
  "sleep.files": "files in every root survive sleep, with permission bits and links",
  "sleep.processes":
    "processes are ended by sleep, and those in the background are reported as gone",
  "sleep.wakes": "whatever is asked of a sleeping sandbox wakes it",
  "sleep.twice": "a sandbox that sleeps can be put to sleep again",
  "sleep.answers": "sleep answers every command that still runs",
  "sleep.wakes-once": "ten things asked of a sleeping sandbox at once all work",
  "sleep.fresh": "after sleep a command starts as it did before: same directory, same variables",
  "sleep.destroy": "a sleeping sandbox can be destroyed, and then refuses work",
  "limits.nonsense":
    "an invalid limit, or one that the host can't enforce, is refused when a sandbox is created",
  "limits.memory": "a command that exceeds the memory limit is ended, and the sandbox goes on",
  "limits.processes":
    "a sandbox never has more processes than its limit, and goes on when more are refused",
  "limits.disk":
    "a command that writes more than the disk limit is stopped, and the sandbox works again once files are removed",
  "snapshots.content":
    "a sandbox created from a snapshot starts with its files, their modes and links",
  "snapshots.source-goes-on":
    "what a sandbox does after its snapshot is in no sandbox created from it",
  "snapshots.fork-goes-on": "what a sandbox created from a snapshot does is in no other sandbox",
  "snapshots.removed-stays-removed":
    "what was removed or moved before a snapshot is not there in a sandbox created from it",
  "snapshots.while-running":
    "a snapshot answers what runs, and the sandbox works on with its files",
  "snapshots.deep":
    "a sandbox can have any number of snapshots on each other, and each holds its own files",
  "snapshots.outlives-source":
    "a snapshot outlives its sandbox, and sandboxes created from it outlive the snapshot",
  "snapshots.unknown":
    "a snapshot that is not there is refused, whether it never was or was removed",
  "snapshots.at-once": "many sandboxes can be created from one snapshot at the same time",
  "checkpoints.content":
    "a sandbox created from a checkpoint starts with the files, modes and links of the home",
  "checkpoints.goes-on": "a checkpoint ends no command",
  "checkpoints.source-goes-on":
    "what a sandbox does after a checkpoint is in no sandbox created from it",
  "checkpoints.fork-goes-on":
    "what a sandbox created from a checkpoint does is in no other sandbox",
  "checkpoints.again":
    "a checkpoint after another has what changed between them, also of the same size and time",
  "checkpoints.removed":
    "what was removed or moved between two checkpoints is not there in the second",
  "checkpoints.restored": "a sandbox created from a checkpoint can be recorded itself",
  "checkpoints.odd": "what is not a file, a directory or a link does not hold up a checkpoint",
  "checkpoints.outlives-source":
    "a checkpoint outlives its sandbox, and sandboxes created from it outlive the checkpoint",
  "checkpoints.unknown": "a checkpoint that was removed is refused",
}
