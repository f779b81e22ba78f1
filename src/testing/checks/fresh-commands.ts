import { defineChecks, type Measure, when } from "../measure/define-checks.ts"
import { requireEqual } from "../measure/require.ts"

interface Poison {
  /** What a command does to its own shell. */
  readonly first: string
  /** What the next one looks at. */
  readonly next: string
  readonly clean: string
}

/** A check that what one command does to its shell is gone in the next. */
function notPoisoned(poison: Poison): Measure {
  return async ({ workspace }) => {
    const { first, next, clean } = poison
    await workspace.writeFile("here.txt", "here\n")
    await workspace.exec(first)
    const { exitCode, stdout } = await workspace.exec(next)
    requireEqual(
      `\`${next}\` after \`${first}\``,
      { exitCode, stdout },
      { exitCode: 0, stdout: clean },
    )
    return `\`${first}\` changed nothing for \`${next}\``
  }
}

const freshCommandsPromises = {
  variables: "variables of one command are unknown to the next",
  path: "a command that breaks its PATH leaves the next one's whole",
  directory: "a command that changes its directory leaves the next one in its own",
  functions: "functions and aliases of one command are unknown to the next",
  options: "shell options of one command do not hold for the next",
  streams: "a command that redirects its own output leaves the next one's alone",
  traps: "traps of one command do not fire in the next",
  exit: "a command that ends its shell in the middle leaves the next one working",
  umask: "the umask of one command does not hold for the next",
}

export const freshCommands = defineChecks("fresh-commands", freshCommandsPromises, {
  variables: notPoisoned({
    first: "plain=1; export exported=1; readonly fixed=1",
    next: `echo \${plain-unset} \${exported-unset} \${fixed-unset}`,
    clean: "unset unset unset\n",
  }),
  path: notPoisoned({
    first: "export PATH=/nowhere; export IFS=x",
    next: "cat here.txt; for word in a b; do echo $word; done",
    clean: "here\na\nb\n",
  }),
  directory: notPoisoned({
    first: "mkdir -p elsewhere; cd elsewhere; cd /",
    next: "cat here.txt",
    clean: "here\n",
  }),
  functions: notPoisoned({
    first: "cat() { echo poisoned; }; export -f cat 2> /dev/null; alias echo='echo poisoned'",
    next: "cat here.txt; echo clean",
    clean: "here\nclean\n",
  }),
  options: notPoisoned({
    first: "set -e -u -f; set -o pipefail; shopt -s nullglob",
    next: "false; false | true; echo [$unknown] h*.txt *.none",
    clean: "[] here.txt *.none\n",
  }),
  streams: notPoisoned({
    first: "exec > /dev/null 2>&1; exec < /dev/null",
    next: "echo visible",
    clean: "visible\n",
  }),
  traps: notPoisoned({
    first: "trap 'echo poisoned' EXIT ERR DEBUG 2> /dev/null; true",
    next: "echo clean",
    clean: "clean\n",
  }),
  exit: notPoisoned({
    first: "echo before; exec false; exit 9",
    next: "echo works",
    clean: "works\n",
  }),
  umask: when(
    (can) => can.background && can.fileModes,
    async ({ workspace }) => {
      await workspace.exec(": > before.txt; umask 000; umask 777")
      await workspace.exec(": > after.txt")
      const modes = await Promise.all(
        ["before.txt", "after.txt"].map(async (name) => (await workspace.stat(name)).mode & 0o777),
      )
      requireEqual("the modes before and after", modes[1]?.toString(8), modes[0]?.toString(8))
      return `new files had mode ${modes[0]?.toString(8)} before and after \`umask 777\``
    },
  ),
})
