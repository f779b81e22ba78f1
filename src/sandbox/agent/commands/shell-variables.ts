/**
 * Variables that bash sets, computes or heeds itself, and those that the loader and the C library read when a
 * program starts. Set in a shell that runs already they fail, vanish or act in another way than in a shell
 * that starts with them. All else is the same in both, and a fork is faster than a start.
 */
const special: ReadonlySet<string> = new Set(
  [
    "_ CHILD_MAX COLUMNS COMPREPLY COPROC DIRSTACK EMACS EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE",
    "FCEDIT FIGNORE FUNCNAME FUNCNEST GLOBIGNORE GLOBSORT GROUPS HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF",
    "INPUTRC INSIDE_EMACS LINENO LINES MACHTYPE MAILCHECK MAILPATH MAPFILE OLDPWD OPTARG OPTERR OPTIND",
    "OSTYPE PIPESTATUS POSIXLY_CORRECT POSIX_PEDANTIC PPID PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 PWD",
    "RANDOM REPLY SECONDS SHLVL SRANDOM TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT UID",
    "auto_resume histchars ignoreeof GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH",
  ].flatMap((line) => line.split(" ")),
)

const specialFamilies = /^(BASH|COMP_|HIST|LD_|MALLOC_|READLINE_)/

/** Whether only a shell that starts with the variable sees it as it should be. */
export function needsNewShell(name: string): boolean {
  return special.has(name) || specialFamilies.test(name)
}
