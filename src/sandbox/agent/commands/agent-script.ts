import { markVariable } from "./command-fields.ts"
import { injectedFirst } from "./require-programs.ts"

/**
 * The program that runs inside a sandbox for as long as it lives: bash, because most
 * images have it, it can be injected into any, and nothing must be built. It forks a subshell for each
 * command, which costs a fraction of entering the sandbox again.
 *
 * Requests, one a line: `run RUN SLOT`, `ask RUN SLOT`, `end SIGNAL RUN:SLOT:MARK ...`. Answers: `ready`,
 * `RUN CODE` when a command is over, `RUN cwd` when its directory is not there, `RUN open` when it has opened
 * an input that is a pipe, `RUN on` to an `ask` before it is over, `RUN killed` when all that it started is killed.
 * RUN is a number that comes only once. A slot is four files: SLOT.cmd with directory, preparation and command, each
 * ended by a NUL; SLOT.in; and the pipes SLOT.out, SLOT.err. Its one argument is how many processes commands may have:
 * it reserves some for itself, or a fork bomb could not be ended.
 *
 * Nothing of the agent's is in a variable when a command's environment is set: preparation and command are
 * positional parameters by then, which no environment can name.
 *
 * It is one line, because bash counts the lines of a command from where the agent runs it, and a
 * message about the first line of a command should say line 1.
 */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the shell fills them in.
const script = [
  "exec 2>/dev/null; set -m; trap '' HUP INT QUIT TERM; unset BASH_EXECUTION_STRING ${!toolkeep_@};",
  "toolkeep_io=/run/toolkeep; declare -A toolkeep_groups=();",

  // The process that started Toolkeep may have left files open for its children: the sandbox gets none of them.
  "for toolkeep_slot in /proc/self/fd/*; do toolkeep_slot=${toolkeep_slot##*/};",
  'if (( toolkeep_slot > 2 )); then eval "exec $toolkeep_slot>&-"; fi; done;',

  // Everything below the processes of some commands, and everything that carries their marks: a child
  // may leave its group. One look at all processes does for all of them, and each gets the signal once:
  // to many programs a second one says that they are not to tidy up. What is to be killed is stopped first, and looked
  // for until nothing new is found: what still forked would have children that nobody has seen. After SIGKILL nobody is
  // left to report but the agent itself, and it says so also of a command that is over: its children may not be.
  "toolkeep_sweep() { local signal=$1 item run slot mark root file pid line looks=0 known=-1 runs=() marks=(); shift;",
  "local -A parents=() groups=() roots=() strays=();",
  'for item in "$@"; do IFS=: read -r run slot mark <<<$item;',
  "read -r line root <<<${toolkeep_groups[$slot]};",
  `if [[ $line == $run ]]; then roots[$root]=1; runs+=($run); marks+=(-e ${markVariable}=$mark); fi; done;`,
  "if [[ ! ${runs[*]} ]]; then return; fi;",
  "if [[ $signal == KILL ]]; then for root in ${!roots[@]}; do kill -s STOP -- -$root; done; fi;",
  "while (( ${#strays[@]} > known && looks++ < 20 )); do known=${#strays[@]}; parents=(); groups=();",
  "for file in /proc/[0-9]*/stat; do read -r line <$file || continue;",
  "pid=${file#/proc/}; pid=${pid%/stat}; set -- ${line##*) }; parents[$pid]=$2; groups[$pid]=$3; done;",
  "for pid in ${!parents[@]}; do line=$pid; if [[ ${roots[${groups[$pid]}]} ]]; then continue; fi;",
  "while [[ $line && ! ${roots[$line]} && $line -gt 1 ]]; do line=${parents[$line]}; done;",
  "if [[ $line && ${roots[$line]} ]]; then strays[$pid]=1; fi; done;",
  `for file in $(${injectedFirst}; grep -lsaF \${marks[*]} /proc/[0-9]*/environ); do`,
  "pid=${file#/proc/}; pid=${pid%/environ};",
  "if [[ ! ${roots[${groups[$pid]-0}]} ]]; then strays[$pid]=1; fi; done;",
  "if [[ $signal != KILL ]]; then break; fi; for pid in ${!strays[@]}; do kill -s STOP $pid; done; done;",
  "for pid in ${!strays[@]}; do kill -s $signal $pid; done;",
  "for root in ${!roots[@]}; do kill -s $signal -- -$root; done;",
  'if [[ $signal == KILL ]]; then for run in ${runs[@]}; do echo "$run killed"; done; fi; };',

  // A sandbox without its filter, or where nobody can tell, must not run anything. As one text: bash seeks after each line.
  "IFS= read -r -d '' toolkeep_slot </proc/self/status;",
  "[[ $toolkeep_slot == *$'\\nNoNewPrivs:\\t1\\n'* && $toolkeep_slot == *$'\\nSeccomp:\\t2\\n'* ]] || exit 1;",
  "echo ready;",

  "while read -r toolkeep_verb toolkeep_run toolkeep_slot; do case $toolkeep_verb in",

  // The outer process outlives every signal its group can get but SIGKILL, and reports; the inner one
  // has nothing of the agent's left when the command starts.
  "run) { ( set +m; trap - HUP INT QUIT TERM; ulimit -u ${1-unlimited}; set --;",
  'exec 3>&1 <"$toolkeep_io/$toolkeep_slot.in" >"$toolkeep_io/$toolkeep_slot.out";',
  'exec 2>"$toolkeep_io/$toolkeep_slot.err";',
  'if [[ -p $toolkeep_io/$toolkeep_slot.in ]]; then echo "$toolkeep_run open" >&3; fi;',
  "{ IFS= read -r -d '' toolkeep_cwd; IFS= read -r -d '' toolkeep_prepare;",
  "IFS= read -r -d '' toolkeep_command; } <\"$toolkeep_io/$toolkeep_slot.cmd\";",
  'set -- "$toolkeep_prepare" "$toolkeep_command";',
  'if ! cd -- "$toolkeep_cwd" 2>/dev/null; then echo "$toolkeep_run cwd" >&3; exit 1; fi;',
  "exec 3>&-; unset OLDPWD ALL_NAMES;",
  // The variable that `bash -c` has its command in.
  'eval "$1"; BASH_EXECUTION_STRING=$2; set --; SECONDS=0; eval -- "$BASH_EXECUTION_STRING" );',
  // Bash keeps what it knows of each job, and looks through it for every new one: a thousand commands made each one slower.
  'echo "$toolkeep_run $?"; } & toolkeep_groups[$toolkeep_slot]="$toolkeep_run $!"; disown $! ;;',

  // A command can kill the process that would report it.
  "ask) read -r toolkeep_verb toolkeep_root <<<${toolkeep_groups[$toolkeep_slot]};",
  "if [[ $toolkeep_verb == $toolkeep_run ]] && ! kill -0 $toolkeep_root;",
  'then echo "$toolkeep_run 137"; else echo "$toolkeep_run on"; fi ;;',

  "end) toolkeep_sweep $toolkeep_run $toolkeep_slot & disown $! ;;",
  "esac; done",
].join(" ")
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the shell fills them in.

/** Whatever it calls its own; written out, because the shell would need longer to find them. */
const names = new Set(script.match(/toolkeep_\w+/g))

export const agentScript = script.replace("ALL_NAMES", [...names].join(" "))
