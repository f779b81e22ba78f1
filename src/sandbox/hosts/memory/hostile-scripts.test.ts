import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Workspace } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { memoryHost } from "./memory-host.ts"

let sandbox: Sandbox
let workspace: Workspace

beforeAll(async () => {
  const megabyte = 1024 * 1024
  const host = memoryHost({ memoryBytes: 150 * megabyte, diskBytes: 20 * megabyte })
  sandbox = await host.create({ name: "default" })
  workspace = createWorkspace(sandbox)
})

afterAll(() => sandbox.destroy())

describe("a script that wants too much", () => {
  it.each([
    ["forks without end", ":(){ :|:& };:"],
    ["calls itself without end", "f() { f; }; f"],
    ["calls itself in subshells", "f() { (f); }; f"],
    ["calls itself in substitutions", "f() { x=$(f); }; f"],
    ["runs itself as a file", "echo 'bash /tmp/me' > /tmp/me; bash /tmp/me"],
    ["sources itself", "echo '. /tmp/me' > /tmp/me; . /tmp/me"],
    ["evaluates itself", 'x=\'eval "$x"\'; eval "$x"'],
    ["doubles a string", "x=aaaaaaaa; while true; do x=$x$x; done"],
    ["doubles an array", `a=(1 2); while true; do a=("\${a[@]}" "\${a[@]}"); done`],
    ["expands a huge range", "echo {1..999999999}{1..999999999}"],
    ["expands many alternatives", `echo ${"{a,b}".repeat(40)}`],
    ["counts to a billion", "seq 1 1000000000 | wc -l"],
    ["pads to a gigabyte", "printf '%1000000000s' x | wc -c"],
    ["prints without end", "while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"],
    ["grows an awk array", "awk 'BEGIN { while (1) a[i++] = i }'"],
    ["doubles an awk string", "awk 'BEGIN { s = \"x\"; while (1) s = s s }'"],
    ["collects a billion numbers in jq", "jq -n '[range(1e9)] | length'"],
    ["repeats a jq string", "jq -n '\"x\" * 1e9 | length'"],
    ["loops in sed", "echo a | sed ':a;s/a/aa/;ta'"],
    ["fills the disk with one file", "x=$(printf '%100000s' x); while true; do echo $x >> f; done"],
    ["fills the disk with names", "while true; do mkdir d; cd d; done 2>/dev/null"],
    ["unpacks a bomb", "printf '%20000000s' x | gzip > b; cat b b b b b b b b | gunzip | wc -c"],
    ["multiplies YAML aliases", `yq -o json . <<< "${yamlBomb()}"`],
    ["nests deeply", `x=${"$(".repeat(2000)}echo${")".repeat(2000)}`],
    ["nests arithmetic", `echo $((${"(".repeat(9000)}1${")".repeat(9000)}))`],
    ["sends a huge script", `echo ok #${"x".repeat(3_000_000)}`],
  ])("O30, Y12: and %s ends, and the next one runs", async (_what, script) => {
    const result = await workspace.exec(script, { timeoutMs: 300, maxOutputBytes: 1000 })
    expect(result.exitCode === 0 && result.ending.kind === "exited").toBe(false)
    const next = await workspace.exec("cd; rm -rf /home/user/* /tmp/*; echo alive")
    expect(next.stdout).toBe("alive\n")
  })

  it("Y12: and matches a pattern made to take for ever is answered at once", async () => {
    const text = `${"a".repeat(60)}!`
    const script = `
      echo ${text} | grep -E '^(a+)+$'; echo ${text} | sed -E 's/^(a|a)*$/x/'
      echo ${text} | awk '/^(a|aa)+$/'; [[ ${text} =~ ^(a+)+$ ]]; echo ${text} | rg '^(a|a)*$'
      jq -n '"${text}" | test("^(a+)+$")'; [[ ${text} == ${"*a".repeat(30)}b ]]
      case ${text} in ${"*a".repeat(30)}b) echo;; esac; touch ${text}; ls ${"*a".repeat(30)}b
      find . -name '${"*a".repeat(30)}b'; shopt -s extglob; [[ ${text} == +(+(a))b ]]; echo end`
    const result = await workspace.exec(script, { timeoutMs: 60_000 })
    expect(result.stdout).toBe(`${text}\nfalse\nend\n`)
  })
})

describe("a script that looks for a way out", () => {
  it("F15: finds no file, no process and no variable of the machine", async () => {
    const script = `
      cat /etc/passwd /proc/self/environ /proc/1/cmdline ../../../../../etc/hostname
      ln -s /etc e; cat e/passwd; cat < /proc/version; ls -a / | tr '\\n' ' '; echo $PPID $UID
      echo $(</etc/passwd); . /etc/profile; find / -name '*.so*'; tar cf - /etc | tar tf -`
    const { stdout } = await workspace.exec(script)
    expect(stdout).toBe(". .. bin dev home tmp usr 0 1000\n\n")
  })

  it("F15: can't reach the shell's own objects by their names", async () => {
    const script = `
      mkdir /tmp/empty; cd /tmp/empty; __proto__=a; constructor=b; echo $__proto__ $constructor; declare -A m; m[__proto__]=1
      echo \${m[__proto__]} \${m[constructor]:-none}; toString; hasOwnProperty x; constructor
      export __proto__=c; env | grep -c __proto__; touch __proto__ constructor; ls
      awk 'BEGIN { print length(a["constructor"]) }'; jq -n '{} | has("constructor")'`
    const { stdout, stderr } = await workspace.exec(script)
    expect(stdout).toBe("a b\n1 none\n1\n__proto__\nconstructor\n0\nfalse\n")
    expect(stderr).toBe(
      "bash: toString: command not found\nbash: hasOwnProperty: command not found\nbash: constructor: command not found\n",
    )
  })

  it("F15: can't leave anything in the thread for the next script", async () => {
    await workspace.exec(
      "printf -v PATH /evil; alias ls='echo evil'; history -s evil; hash -p /x ls",
    )
    const { stdout } = await workspace.exec("ls /; history; alias; hash 2>&1; echo $PATH")
    expect(stdout).not.toContain("evil")
  })
})

function yamlBomb(): string {
  const levels = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
  for (let level = 1; level < 10; level += 1) {
    levels.push(`a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`)
  }
  return levels.join("\n")
}
