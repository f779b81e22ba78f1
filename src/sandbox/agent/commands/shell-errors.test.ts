import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, type ToolBench } from "../../../../test/support/tools/tool-bench.ts"

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell fills them in.
/** What can go wrong in a script, by what goes wrong. Each is compared with what `bash -c` makes of it. */
const situations: Readonly<Record<string, readonly string[]>> = {
  arithmetic: [
    "echo $((08))\necho after",
    "echo $((08)); echo same",
    "echo a; echo $((1/0)); echo b\necho c; echo $((1/0)) && echo d\necho e $?",
    "((08)); echo $?\necho after",
    "let x=08\necho after $?",
    "x=08; y=$((x+1)); echo same\necho after $? $y",
    "a[08]=1\necho after $?",
    "[[ 08 -eq 8 ]]; echo $?\necho after",
    "x=$((1/0)) || echo or\necho after $?",
    "if echo $((1/0)); then echo then; else echo else; fi\necho after $?",
    "while true; do echo $((08)); done\necho after $?",
    "f() { echo $((08)); echo inside; }; f; echo same\necho after $?",
    "(echo $((08))\necho inside); echo after $?",
    "echo $(echo $((08))); echo after $?",
    "echo $((08)) | cat\necho after $?",
    "cat <<E\n$((08))\nE\necho after $?",
    "echo > $((08))\necho after $?",
    "for ((i=08; i<9; i++)); do echo x; done; echo same $?\necho after",
    "set -e\necho $((08))\necho after",
    "trap 'echo bye $?' EXIT; echo $((08))\necho after",
  ],
  expansions: [
    "set -u; echo $nope; echo same\necho after",
    "set -u; echo $nope",
    "set -euo pipefail; echo $nope",
    "set -o nounset\necho $nope\necho after",
    "echo ${x!}\necho after $?",
    "echo ${x!}; echo same",
    "echo ${x@Z}\necho after $?",
    "echo ${nope:?gone}; echo same\necho after",
    "echo ${nope?gone}",
    "x=abc; echo ${x:0:-9}; echo same\necho after $?",
    "readonly r=1; r=2; echo same $?\necho after $?",
    "declare -A m; m[]=1; echo same\necho after $?",
    "shopt -s failglob; echo /nowhere*; echo same\necho after $?",
    "echo {1..$((08))}\necho after $?",
    "f() { f; }; FUNCNEST=5; f; echo same\necho after $?",
  ],
  syntax: [
    "if",
    "echo one\nif true; then\necho two",
    "echo one\n)\necho two",
    "echo 'open",
    'echo "open',
    "echo $(",
    "echo `",
    "echo ${",
    "echo $((1+",
    ";; echo x",
    "echo a &&",
    "cat <<E\nno end",
    "cat <<E; echo after\nno end",
    "eval if; echo after $?",
    "eval 'echo $((08))'; echo same $?\necho after",
    "eval 'echo one\n)'; echo after $?",
  ],
  programs: [
    "exec /nowhere/program; echo after",
    "exec nowhere-program",
    "exec /; echo after",
    "shopt -s execfail; exec nowhere-program; echo after $?",
    "nowhere-program; echo after $?",
    "/etc/passwd; echo after $?",
    "cat </nowhere; echo after $?",
    "exec </nowhere; echo after",
    "exec 5</nowhere; echo after $?",
    ". /nowhere; echo after $?",
    "source /nowhere\necho after $?",
    "cd /nowhere; echo after $?",
    "wait 99999; echo $?",
    "{ exit 3; } & wait $!; echo $?",
  ],
  endings: [
    "exit 300",
    'echo "$BASH_EXECUTION_STRING" $# $0',
    "-s; echo after $?",
    "exit abc; echo after",
    "false; exit",
    "return 3; echo after $?",
    "return 3",
    "break; echo after $?",
    "continue; echo after $?",
    "break 2\necho after $?",
    "for i in 1 2; do break 5; done; echo after",
    "f() { return 5; echo no; }; f; echo $?",
    "local x=1; echo after $?",
    "shift 5; echo after $?",
    "set -e; false; echo after",
    "set -e; (exit 4); echo after",
    "set -e; x=$(false); echo after",
    "set -e; f() { false; echo inside; }; f || echo or; f; echo end",
    "trap 'exit 7' EXIT; false",
    "trap 'echo bye; exit 7' EXIT; exit 3",
    "trap 'echo bye $?' EXIT; set -e; false; echo after",
    "trap 'return 3' EXIT; exit 4",
    "trap 'break' EXIT; exit 4",
    "trap $'echo $((08))\\necho inside' EXIT; exit 4",
    "trap 'echo error $?' ERR; false; true",
    "trap 'echo term' TERM; kill -TERM $BASHPID; echo after",
    "trap 'exit 9' TERM; kill -TERM $BASHPID; echo after",
    "kill -TERM $BASHPID; echo after",
    "kill -9 $BASHPID",
    "trap; trap -p",
  ],
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell fills them in.

const withProcesses = benches.filter(({ host }) => host !== "memory")

describe.each(withProcesses)("a script with an error on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const endOf = async (command: string | readonly string[]) => {
    const { stdout, stderr, exitCode } = await bench.workspace.exec(command)
    // Where bash found a mistake in the syntax: in the text of `bash -c`, or of a forked shell.
    return { stdout, stderr: stderr.replaceAll("bash: eval: line", "bash: -c: line"), exitCode }
  }

  it.each(Object.entries(situations))(
    "F18, F19: in its %s goes on or ends as `bash -c` does",
    async (_, scripts) => {
      for (const script of scripts) {
        const started = await endOf(["/bin/bash", "-c", "--", script, "bash"])
        expect({ script, ...(await endOf(script)) }).toEqual({ script, ...started })
      }
    },
    60_000,
  )

  it("F18: that is too long for one argument does so too, in the background as well", async () => {
    const long = `: ${"x".repeat(300_000)}\n`
    const script = `${long}echo $((08))\necho "after $?"`
    expect(await endOf(script)).toMatchObject({ stdout: "after 1\n", exitCode: 0 })
    const { processes } = bench.workspace
    const { id } = await processes.start(script)
    expect(await processes.wait(id)).toMatchObject({ state: { kind: "exited", exitCode: 0 } })
    expect((await processes.output(id)).text).toMatch(/\nafter 1\n$/)
  })
})
