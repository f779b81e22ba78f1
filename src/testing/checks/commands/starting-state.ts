import { createId } from "../../../kit/index.ts"
import { createWorkspace, workspaceAt } from "../../../sandbox/index.ts"
import { defineChecks, type Measure, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireRefusal, requireThat } from "../../measure/require.ts"

const workingDirectoryPromises = {
  default: "a command starts in the sandbox's home, where relative paths begin",
  option: "a command starts in the directory it is given",
  pwd: "pwd and the parent directory are what they should be",
  names: "the directory of a command may have spaces, quotes and line breaks in its name",
  missing: "a command in a directory that does not exist fails as not-found and does not run",
  file: "a command in a directory that is a file fails as not-directory",
  child: "a child workspace starts commands and paths in its own directory and keeps deadlines",
}

export const workingDirectory = defineChecks("working-directory", workingDirectoryPromises, {
  async default({ workspace, sandbox }) {
    await workspace.writeFile("here.txt", "by a relative path")
    const { stdout } = await workspace.exec("cat here.txt; echo made > made.txt")
    const made = await workspace.readFile(`${sandbox.home}/made.txt`)
    requireEqual("both files", { stdout, made }, { stdout: "by a relative path", made: "made\n" })
    return `commands and relative paths met in ${sandbox.home}`
  },
  async option({ workspace, sandbox }) {
    await workspace.writeFile("deep/inside/mark.txt", "inside")
    const outputs: string[] = []
    for (const cwd of [`${sandbox.home}/deep/inside`, "deep/inside", "deep/../deep/./inside/"]) {
      outputs.push((await workspace.exec("cat mark.txt", { cwd })).stdout)
    }
    requireEqual("what it found there", outputs, ["inside", "inside", "inside"])
    return "as an absolute path, as a relative one and as one with dots"
  },
  async pwd({ workspace }) {
    await workspace.writeFile("one/two/mark.txt", "two")
    await workspace.writeFile("one/mark.txt", "one")
    const { stdout } = await workspace.exec('cat ../mark.txt; basename "$(pwd)"; basename "$PWD"', {
      cwd: "one/two",
    })
    requireEqual("the output", stdout, "onetwo\ntwo\n")
    return "`..`, pwd and $PWD agreed"
  },
  async names({ workspace }) {
    const names = [
      "with space",
      'it\'s "quoted"',
      "$HOME `id` $(id)",
      "line\nbreak",
      "-dash",
      "日本",
    ]
    for (const name of names) {
      await workspace.writeFile(`${name}/mark.txt`, name)
      const { stdout } = await workspace.exec("cat mark.txt", { cwd: name })
      requireEqual(`mark.txt in ${JSON.stringify(name)}`, stdout, name)
    }
    return `${names.length} names`
  },
  async missing({ workspace }) {
    const work = workspace.exec("echo ran > ../ran.txt", { cwd: "nowhere" })
    await requireRefusal("a command in a missing directory", work, "not-found")
    requireEqual("that it ran", await workspace.exists("ran.txt"), false)
    return "rejected as not-found"
  },
  async file({ workspace }) {
    await workspace.writeFile("file.txt", "no directory")
    const work = workspace.exec("true", { cwd: "file.txt" })
    await requireRefusal("a command in a file", work, "not-directory")
    return "rejected as not-directory"
  },
  async child({ workspace }) {
    await workspace.writeFile("child/mark.txt", "child")
    const child = workspaceAt(workspace, "child")
    await child.writeFile("made.txt", "made")
    const found = {
      command: (await child.exec("cat mark.txt made.txt")).stdout,
      parent: await workspace.readFile("child/made.txt"),
      deadline: (await child.exec("sleep 4", { timeoutMs: 200 })).exitCode,
    }
    requireEqual("what it found", found, { command: "childmade", parent: "made", deadline: 124 })
    return "a command, a file and a deadline through a child workspace"
  },
})

/** What any system sets for its commands; that a value is the same here and there leaks nothing. */
const standardVariables: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ"],
  ...["TMPDIR", "USER", "LOGNAME", "SHELL", "HOSTNAME"],
])

const environmentPromises = {
  given: "variables given to a command reach it exactly",
  exported: "variables given to a command reach the commands that it starts",
  "only-that-command":
    "variables given to one command are unknown to the next and to those beside it",
  added: "variables given to a command are added to the default ones and win over them",
  "host-hidden": "the environment of the process that uses the host is not visible to commands",
}

export const environment = defineChecks("environment", environmentPromises, {
  async given({ workspace }) {
    const env = {
      PLAIN: "value",
      SPACES: "  two  spaces  ",
      QUOTES: `it's "quoted" \\ back`,
      SHELL_WORDS: "$HOME `id` $(id) $PLAIN ; & | *",
      LINES: "one\ntwo\n",
      EMPTY: "",
      UNICODE: "naïve 日本 🎉",
      EQUALS: "a=b=c",
    }
    for (const [name, value] of Object.entries(env)) {
      const { stdout } = await workspace.exec(`printf '%s' "$${name}"`, { env })
      requireEqual(name, stdout, value)
    }
    const { stdout } = await workspace.exec(`echo "\${EMPTY-unset}"`, { env })
    requireEqual("an empty variable", stdout, "\n")
    return `${Object.keys(env).length} values with spaces, quotes, line breaks and shell words`
  },
  async exported({ workspace }) {
    const { stdout } = await workspace.exec(`bash -c 'echo "$GIVEN"'; env | grep ^GIVEN=`, {
      env: { GIVEN: "passed on" },
    })
    requireEqual("the output", stdout, "passed on\nGIVEN=passed on\n")
    return "a shell inside the shell and env both saw it"
  },
  async "only-that-command"({ workspace }) {
    const show = `echo \${GIVEN-unset}; sleep 0.1; echo \${GIVEN-unset}`
    const [given, beside] = await Promise.all([
      workspace.exec(show, { env: { GIVEN: "mine" } }),
      workspace.exec(show),
    ])
    const next = await workspace.exec(show)
    const found = [given.stdout, beside.stdout, next.stdout]
    requireEqual("what they saw", found, ["mine\nmine\n", "unset\nunset\n", "unset\nunset\n"])
    return "the command beside it and the one after it saw nothing"
  },
  async added({ workspace }) {
    const show = `ls / > listing; echo "\${PATH:+path}"; echo "$HOME"`
    const added = await workspace.exec(show, { env: { GIVEN: "1" } })
    const won = await workspace.exec(show, { env: { HOME: "/given/home" } })
    requireEqual(
      "with GIVEN, the exit code and PATH",
      [added.exitCode, added.stdout.split("\n")[0]],
      [0, "path"],
    )
    requireEqual("with HOME", won.stdout, "path\n/given/home\n")
    return "PATH stayed, and HOME was replaced"
  },
  async "host-hidden"({ another }) {
    const name = createId("TOOLKEEP_CONFORMANCE")
    process.env[name] = "a secret of the host's process"
    try {
      const workspace = createWorkspace(await another())
      const { stdout } = await workspace.exec("env")
      const seen = stdout.split("\n").map((line) => line.split("=", 1)[0] ?? "")
      const leaked = seen.filter(
        (variable) =>
          !standardVariables.has(variable) &&
          stdout.includes(`${variable}=${process.env[variable]}`),
      )
      requireThat(leaked.length === 0, `commands saw ${leaked.join(", ")}`)
      return `none of ${Object.keys(process.env).length} variables but the default ones was visible`
    } finally {
      delete process.env[name]
    }
  },
})

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
