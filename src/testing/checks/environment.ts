import { createId } from "../../kit/index.ts"
import { createWorkspace } from "../../sandbox/index.ts"
import { defineChecks } from "../measure/define-checks.ts"
import { requireEqual, requireThat } from "../measure/require.ts"

/** What any system sets for its commands; that a value is the same here and there leaks nothing. */
const usual: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "_", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ"],
  ...["TMPDIR", "USER", "LOGNAME", "SHELL", "HOSTNAME"],
])

const environmentPromises = {
  given: "variables given to a command reach it exactly",
  exported: "variables given to a command reach the commands that it starts",
  "only-that-command":
    "variables given to one command are unknown to the next and to those beside it",
  added: "variables given to a command are added to the usual ones and win over them",
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
          !usual.has(variable) && stdout.includes(`${variable}=${process.env[variable]}`),
      )
      requireThat(leaked.length === 0, `commands saw ${leaked.join(", ")}`)
      return `none of ${Object.keys(process.env).length} variables but the usual ones was visible`
    } finally {
      delete process.env[name]
    }
  },
})
