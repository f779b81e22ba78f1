import { afterAll, beforeAll, expect, it } from "vitest"
import { quoteArguments } from "../../src/kit/quote-arguments.ts"
import { agentScript } from "../../src/sandbox/agent/commands/agent-script.ts"
import { createRandom } from "../fuzz/random.ts"
import { type AttackGround, commandMs, type OpenGround } from "./attack-ground.ts"

/** Of bash 5.3's manual, and some of the loader's, the C library's and readline's. */
const shellVariables =
  `_ BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND
  BASH_COMPAT BASH_ENV BASH_EXECUTION_STRING BASH_LINENO BASH_LOADABLES_PATH BASH_MONOSECONDS BASH_REMATCH BASH_SOURCE
  BASH_SUBSHELL BASH_TRAPSIG BASH_VERSINFO BASH_VERSION BASH_XTRACEFD CDPATH CHILD_MAX COLUMNS COMP_CWORD COMP_KEY COMP_LINE
  COMP_POINT COMP_TYPE COMP_WORDBREAKS COMP_WORDS COMPREPLY COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS EUID
  EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS HISTCMD HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE
  HISTSIZE HISTTIMEFORMAT HOME HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC INSIDE_EMACS LANG LC_ALL LC_COLLATE LC_CTYPE
  LC_MESSAGES LC_NUMERIC LC_TIME LINENO LINES MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH
  PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 PS4 PWD RANDOM READLINE_ARGUMENT READLINE_LINE
  READLINE_MARK READLINE_POINT REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT TMPDIR
  TZ UID auto_resume histchars ignoreeof LD_PRELOAD LD_LIBRARY_PATH LD_DEBUG LOCPATH GLIBC_TUNABLES MALLOC_ARENA_MAX`.split(
    /\s+/,
  )

const agentNames = [...new Set(agentScript.match(/[A-Za-z_]\w*/g))]

/** Names that look like the agent's or the shell's, or like nothing. */
function randomNames(count: number, seed: number): string[] {
  const random = createRandom(seed)
  const starts = ["toolkeep_", "TOOLKEEP_", "BASH_", "BASH", "_", "LC_", "x", "HIST", "OPT"]
  const letters = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.below(8) }, () => random.pick([...letters])).reduce(
      (name, letter) => name + letter,
      random.pick(starts),
    ),
  )
}

const refused = ["BASHOPTS", "BASH_ENV", "PS4", "SHELLOPTS", "TOOLKEEP_COMMAND"]

const together = 16

/** Would leave a file, if any shell took it for a command, for arithmetic, or for the name of a file to read. */
const value = "a[$(echo >>~/taken)] $(echo >>~/taken); echo >>~/taken"

/** What a command sees of a variable: its kind, its value, and what a program that it starts sees. */
const lookAt = (name: string) =>
  `echo judged "$*"; declare -p ${name}; [[ -v ${name} ]]; echo $? "\${${name}}"; /usr/bin/env | /usr/bin/grep -a '^${name}='; exit 7`

const withoutNumbers = (text: string) => text.replaceAll(/\d+(\.\d+)?/g, "N")

/**
 * Variables of a call that the agent or its shell could take for their own: on every host with an agent. One
 * of so many is tried where the agent is the same as elsewhere.
 */
export function attackEnvironment(open: OpenGround, { oneOf = 1 } = {}): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())
  const run = async (command: string | string[], env: Record<string, string> = {}) => {
    const { exitCode, stdout, stderr } = await ground.workspace.exec(command, {
      env,
      timeoutMs: commandMs,
    })
    return { exitCode, stdout, stderr }
  }

  /** The same, seen by shells that nothing but their own start has prepared. */
  const startedWith = async (names: readonly string[]) => {
    const shells = names.map((name) => {
      // Only another bash leaves "_" to those that it starts.
      const env = ["/usr/bin/env", "-u", "_", `${name}=${value}`]
      const words = [...env, "/bin/bash", "-c", lookAt(name), "bash"]
      return `seen=$(${quoteArguments(words)} 2>/dev/null; echo "=$?"); printf '%s\\0' "$seen"`
    })
    const { stdout } = await run(shells.join("\n"))
    return stdout.split("\0").map((seen) => {
      const [, printed, exitCode] = /^(.*)=(\d+)$/s.exec(seen) ?? []
      return withoutNumbers(`${exitCode}\n${printed}`)
    })
  }

  it("C18, F18: replaces the command by a variable of the agent's or the shell's", async () => {
    const all = [...shellVariables, ...agentNames, ...randomNames(60, 20260901)]
    const names = [...new Set(all)].filter(
      (name, index) => !refused.includes(name) && index % oneOf === 0,
    )
    const plain = await startedWith(names)
    const look = async (name: string) => {
      const { exitCode, stdout } = await run(lookAt(name), { [name]: value })
      return withoutNumbers(`${exitCode}\n${stdout}`)
    }
    const wrong: unknown[] = []
    for (let at = 0; at < names.length; at += together) {
      const some = names.slice(at, at + together)
      const seen = await Promise.all(some.map(look))
      for (const [index, name] of some.entries()) {
        if (seen[index] !== plain[at + index]) {
          wrong.push({ name, seen: seen[index], plain: plain[at + index] })
        }
      }
    }
    expect(wrong).toEqual([])
    expect(await ground.print("ls -A ~")).toBe("")
  }, 120_000)

  it("C18: finds something of the agent's in its own shell", async () => {
    // Only what the agent is asked about ends such a command.
    expect((await run("kill -9 $PPID; sleep 60")).exitCode).toBe(137)
    const printed = await ground.print('set; declare -F; echo "$#$*"; alias; trap; jobs; umask')
    expect(printed).toContain("TOOLKEEP_COMMAND=")
    expect(printed).not.toContain("toolkeep_")
    expect(printed).toMatch(/\n0\n0022\n$/)
  })

  it("C18: makes the shell run its environment, or read the command by other rules", async () => {
    for (const name of [...refused, "BASH_FUNC_echo%%", "A B", "A=B", "", "é"]) {
      await expect(run("echo judged", { [name]: value })).rejects.toMatchObject({
        kind: "invalid_args",
        field: "env",
      })
    }
    expect(await ground.print("ls -A ~")).toBe("")
  })

  it("C18: sets several at once, one of which makes the others fail, for a command of words too", async () => {
    const env = {
      POSIXLY_CORRECT: "1",
      UID: "5",
      toolkeep_command: "echo replaced",
      PATH: "/home/user/evil",
      PLAIN: "a'b\n\"c\\",
      IFS: "d",
      LC_ALL: "ja_JP.SJIS",
    }
    await ground.print("mkdir evil; ln -s /usr/bin/printf evil/env; ln -s /usr/bin/id evil/bash")
    const shown = `printf '%s|' "$UID" "$toolkeep_command" "$PATH" "$PLAIN" "$IFS"; exit 6`
    expect(await run(shown, env)).toMatchObject({
      exitCode: 6,
      stdout: "5|echo replaced|/home/user/evil|a'b\n\"c\\| \t\n|",
    })
    const words = ["/usr/bin/printenv", "UID", "toolkeep_command", "PLAIN"]
    expect(await run(words, env)).toMatchObject({
      exitCode: 0,
      stdout: "5\necho replaced\na'b\n\"c\\\n",
    })
    await ground.print("rm -r evil")
  })

  it("C18: ends so that its text goes on into the agent's", async () => {
    const { workspace } = ground
    const commands = [
      ...["echo a\\", "echo 'a", 'echo "a', "echo a; cat <<X\nb", "echo $(echo a", "echo `echo a"],
      ...["echo a #", "echo a; {", "echo a; (", "echo a; )", "echo a; }", "echo a\n) ; echo b; ("],
      ...["case x in", "esac", "echo a\ndone", "fi", ";;", "; echo b", "& echo b", "|| echo b"],
      ...["set --; shift; echo a", "return 3", "break; echo a", "exec 3>&1; echo a >&3", "\\\n"],
      ...[
        "#!/bin/false\necho a",
        "\necho $LINENO\n",
        "echo a\\\n",
        'echo "$@" $# $0',
        "exit 9 #\\",
      ],
      ...["cat <<'X'\n$a\nX", "trap 'echo over' EXIT; (", "unset -f eval; echo a", "! true"],
    ]
    for (const command of commands) {
      const started = await workspace.exec(["/bin/bash", "-c", command, "bash"])
      const { exitCode, stdout } = await workspace.exec(command)
      expect({ command, exitCode, stdout }).toEqual({
        command,
        exitCode: started.exitCode,
        stdout: started.stdout,
      })
    }
  })

  it("C18: begins with a dash, and is an option of the shell that is to run it", async () => {
    const { workspace } = ground
    const stdin = "echo replaced >~/taken"
    for (const command of ["-s", "-i", "-x", "--rcfile"]) {
      const options = { stdin, timeoutMs: commandMs }
      const ends = [
        await workspace.exec(command, options),
        await workspace.exec(command, { ...options, env: { COLUMNS: "80" } }),
        await workspace.runCode("bash", command, options),
      ]
      for (const { stderr } of ends) expect(stderr).toContain(`${command}: command not found`)
    }
    expect(await ground.print("ls -A ~")).toBe("")
  })

  it("C18: runs in directories whose names are text for a shell", async () => {
    const { workspace } = ground
    const names = [
      ..."- -- -P ~ * \\ $(touch\u00a0taken) `id` é toolkeep_command $HOME a=b ;".split(" "),
      ...[" a b ", "new\nline\n", `'"'"`, "x".repeat(255)],
    ]
    for (const name of names) {
      await workspace.mkdir(`./${name}`)
      const { stdout } = await workspace.exec("printf %s. \"$PWD\"; printf %s '$1'", {
        cwd: `/home/user/${name}`,
      })
      expect(stdout).toBe(`/home/user/${name}.$1`)
      await workspace.remove(`./${name}`, { recursive: true })
    }
    expect(await ground.print("ls -A ~")).toBe("")
  })

  it("O29: carries the mark of another command, which is ended, and takes nobody with it", async () => {
    const { workspace, print } = ground
    const stopped = new AbortController()
    const victim = workspace.exec("echo $TOOLKEEP_COMMAND >victim; sleep 600", {
      signal: stopped.signal,
    })
    const marked = `until [[ -s victim ]]; do sleep 0.01; done
      TOOLKEEP_COMMAND=$(<victim) sleep 600 & sleep 600 & echo >both; wait -n; jobs -r | grep -c sleep; kill %2`
    const bystander = workspace.exec(marked)
    await print("until [[ -e both ]]; do sleep 0.01; done")
    stopped.abort()
    await expect(victim).rejects.toThrow()
    expect((await bystander).stdout).toBe("1\n")
    await print("rm victim both")
  }, 120_000)
}
