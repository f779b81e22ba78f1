import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Workspace } from "../../../../contract/index.ts"
import type { Sandbox } from "../../../host/host.ts"
import { createWorkspace } from "../../../workspace/create-workspace.ts"
import { memoryHost } from "../memory-host.ts"

let sandbox: Sandbox
let workspace: Workspace
let machine: string

beforeAll(async () => {
  machine = mkdtempSync(join(tmpdir(), "toolkeep-bash-"))
  sandbox = await memoryHost().create({ name: "default" })
  workspace = createWorkspace(sandbox)
})

afterAll(async () => {
  rmSync(machine, { recursive: true })
  await sandbox.destroy()
})

/** Runs a script with the machine's bash, in an empty directory and almost no environment. */
function runBash(script: string, directory: string) {
  const cwd = join(machine, directory)
  mkdirSync(cwd)
  const env = { HOME: "/home/user", PATH: process.env.PATH, LANG: "C.UTF-8" }
  const { stdout, status } = spawnSync("bash", ["-c", script], { cwd, env, input: "a\nb\n" })
  return { stdout: stdout.toString("latin1"), exitCode: status }
}

async function runVirtual(script: string, directory: string) {
  await workspace.exec(["mkdir", directory])
  const options = { cwd: directory, stdin: "a\nb\n", timeoutMs: 100_000 }
  const { stdoutBytes, exitCode } = await workspace.exec(script, options)
  return { stdout: Buffer.from(stdoutBytes).toString("latin1"), exitCode }
}

const scripts = {
  language: [
    `for i in {1..5}; do echo $i; done | paste -sd, -`,
    `x=5; while [ $x -gt 0 ]; do x=$((x-1)); [ $x -eq 2 ] && continue; echo $x; done`,
    `f() { local a=$1; echo \${a:-none} $#; return 3; }; f x y; echo $?; f; echo $?`,
    `a=(1 2 3); a+=(4); echo \${a[@]} \${#a[@]} \${a[-1]} \${a[@]:1:2}`,
    `declare -A m; m[x]=1; m[y]=2; for k in x y; do echo $k=\${m[$k]}; done`,
    `s=a.tar.gz; echo \${s%.gz} \${s%%.*} \${s#*.} \${s##*.} \${s//a/A} \${s^^} \${s:1:3}`,
    `[[ abc =~ ^a(.)c$ ]] && echo \${BASH_REMATCH[1]}; case x in [x-z]) echo 2;; esac`,
    `cat <<EOF\n  x=$((2*3)) $HOME\nEOF\ncat <<'EOF'\n$HOME\nEOF\ncat <<-EOF\n\ttabs\n\tEOF`,
    `set -e; false || true; (exit 3) || echo $?; if false; then :; fi; echo b; false; echo c`,
    `set -o pipefail; false | true; echo $?; true | false | true; echo \${PIPESTATUS[@]}`,
    `x=1; (x=2); echo $x; { x=3; }; echo $x; x=$(x=4; echo $x); echo $x`,
    `set -- 'a b' '*' ''; for a; do echo "<$a>"; done; f() { for x; do echo "$x"; done; }; f 'c d'`,
    `{ exit 3; } & wait; echo $?; x=1; x=2 & wait; echo $x; false & echo $?; (exit 4) & wait; echo $?`,
    `set -e; false & wait; echo a; { echo b; exit 2; } & wait; echo c`,
    `{ echo a; exit 3; } | cat & wait; echo b && { echo c; exit 1; } & wait; echo d`,
    `set -- a b c; shift; echo $1 $# "$*"; for a; do echo $a; done`,
    `echo $((10/3)) $((10%3)) $((2**10)) $((0x1f)) $((1<4 ? 7 : 8)); a=3; ((a+=2)); echo $a`,
    `seq 1 3 | while read n; do t=$((t+n)); echo $t; done; echo "[$t]"`,
    `while getopts 'ab:' o; do echo $o $OPTARG; done; set -- -a -b v; getopts 'ab:' o; echo $o`,
    `exit 300`,
    `nosuchcommand 2>/dev/null; echo $?; (exit 5); exit`,
  ],
  "words that come from variables": [
    `run='echo a  b'; $run c; $run; "$run" 2>/dev/null; echo $?; none=; $none echo d`,
    `list='x y'; for w in $list; do echo $w; done; p='printf %s\\n'; $p 1 2; $(echo echo) e`,
    `set -u; ok=true; $ok && echo fine; if $ok; then echo yes; fi; echo hi | $(echo cat)`,
  ],
  "long ranges": [
    `for i in {1..12000}; do :; done; echo $i; echo {1..10001} | wc -w; echo {20000..1..3} | wc -c`,
    `echo {09999..10002} {a..e} {3..1} x{1..3}y; for i in $(seq 1 12000); do :; done; echo $i`,
  ],
  redirections: [
    `echo x > no/f; echo $?; echo y > no/g || echo failed; cat < no 2>/dev/null; echo $?; echo on`,
    `echo a > f; echo b >> f; cat f; wc -l < f; cat f > g 2>&1; cat g; echo c >| f; cat f`,
    `{ echo a; echo b >&2; } > o 2> e; cat o e; ls nothing &> both; echo $?; [ -s both ] && echo some`,
    `exec 3> f; echo three >&3; exec 3>&-; cat f; for i in 1 2; do echo $i; done > l; cat l`,
    `echo a | tee f g > /dev/null; cat f g; set -o noclobber; echo b > f 2>/dev/null; echo $?; cat f`,
    `f() { echo out; echo err >&2; }; f 2>&1 >/dev/null | cat; f > x 2>&1; cat x; (f; f) 2> y | wc -l`,
  ],
  "text that is not ASCII": [
    `echo 'é ü' | wc -m; echo é | wc -c; x=naïve; echo \${#x} \${x:2:1} \${x^^}; [[ é == ? ]] && echo 1`,
    `while read l; do echo "\${#l} $l"; done <<< $'é\\nß'; mapfile -t a <<< $'ü\\nx'; echo \${#a[0]}`,
    `printf 'é ü\\n' > f; read x y < f; echo $y $x; read -a w < f; echo \${w[1]}; read x <<< ''; echo $? [$x]`,
    `cat <<< ö | while IFS= read -r l; do mkdir "$l"; ls; [ "$l" = ö ] && echo same; done`,
    `set -e; printf ö | { read x || echo end $x; }; while read y; do echo $y; done <<< ä; false; echo on`,
    `bash -c 'echo é'; echo é | xargs -I{} echo '[{}]'; env X=é bash -c 'echo $X'; timeout 5 echo é`,
    `printf 'caf\\351\\n'; printf '\\xc3\\xa9\\n' | tee f; wc -c < f; echo -e '\\xff' | wc -c`,
    `printf '\\303\\251' > f; cat f; x=$(cat f); echo "$x"; grep -c é f; echo Ã© | cat`,
    `echo '{"x":"\\u00e9"}' | grep -o u00e9; awk '{print $1}' <<< 'é x'; sed 's/ä/a/' <<< ä`,
  ],
  commands: [
    `printf '%5s|%-5s|%05d|%x|%o|%.2f|%%|%c\\n' a b 42 255 8 3.14159 z; printf '%s-' 1 2; printf '\\n'`,
    `echo -n a; echo -e 'b\\tc\\\\\\x41\\0101\\c no'; echo; echo -E 'x\\ty'; echo -z; echo --`,
    `seq 3 | xargs echo; seq 4 | xargs -n2 echo; seq 2 | xargs -I{} echo '[{}]'; printf 'a b\\0c' | xargs -0 -n1 echo`,
    `env A=1 B='x y' bash -c 'echo $A$B'; A=3 bash -c 'echo $A'; env -i bash -c 'echo \${HOME:-none}' | wc -l`,
    `timeout 5 echo ok; timeout 0.1 sleep 9; echo $?; timeout 5 false; echo $?; echo in | timeout 5 cat`,
    `mkdir d; realpath d/../d/. | sed 's,.*/,,'; f=$(mktemp); [ -f $f ] && echo made; rm $f; d=$(mktemp -d); [ -d $d ] && rmdir $d && echo gone`,
    `mkdir -p a/b; echo 1 > a/b/f; ln -s a/b l; cat l/f; echo 2 > l/f; cat a/b/f; ln a/b/f h; echo 3 > h; cat l/f; cp -r a c; mv c e; find e | sort; rm -r e; ls`,
    `touch f; chmod 750 f; stat -c %a f; chmod u-w,o+r f; stat -c %A f; umask > /dev/null; ls`,
    `echo x > f; gzip f; ls; gunzip f.gz; tar cf t f; rm f; tar xf t; cat f; base64 f | base64 -d | md5sum`,
    `cat; head -1 /dev/null; echo $?`,
    `read first; echo "<$first>"; cat`,
  ],
}

describe.each(Object.entries(scripts))("%s", (subject, list) => {
  it.each(list.map((script, at) => [script, at] as const))(
    "F15: does what bash does with: %s",
    async (script, at) => {
      const directory = `${subject}-${at}`
      expect(await runVirtual(script, directory)).toEqual(runBash(script, directory))
    },
  )
})
