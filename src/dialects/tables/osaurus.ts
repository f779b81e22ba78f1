import type { DialectArgument, DialectTable } from "../dialect-table.ts"
import { choice, flag, needed, number, required, seconds, text } from "./arguments.ts"

const path = (description: string): DialectArgument => ({
  ...needed("path", description),
  expected: "relative path under the agent home",
})

const command = (description: string): DialectArgument => ({
  ...needed("command", description),
  paths: true,
})

const cwd = text("cwd", 'The directory to run in, such as "app".')

/** Seconds without any output; a command that writes may run as long as it needs. */
const idleTimeout = seconds(
  "idle_timeout_ms",
  "Ends the command when it has written nothing for this many seconds, such as 120.",
)

const commandResult = {
  stdout: "stdout",
  stderr: "stderr",
  exit_code: "exit_code",
  cwd: "cwd",
  killed_by: "killed_by",
} as const

/** The tools that Osaurus's contract names; todo, clarify and complete come with sessions. */
export const osaurus = {
  dialect: "osaurus",
  about: "The tools of Osaurus's tool contract; answers are envelopes.",
  answer: "envelope",
  home: "/home/agent",
  texts: { missing_argument: "Missing required argument `{field}` ({type})." },
  tools: {
    file_read: {
      tool: "file.read",
      description:
        "Reads a text file, or lists a directory; each entry's path is ready for the next call. " +
        'Example: {"path": "Desktop/notes.txt"}.',
      arguments: {
        path: path('A file or a directory, such as "Desktop".'),
        start_line: {
          as: "start_line",
          schema: { description: "The first line to read, from 1, such as 200." },
        },
        line_count: {
          as: "line_count",
          schema: { description: "How many lines, such as 200; as many as fit when absent." },
        },
      },
    },
    sandbox_write_file: {
      tool: "file.write",
      description: 'Writes a text file. Example: {"path": "foo.txt", "content": "hello\\n"}.',
      arguments: {
        path: path('The file, such as "foo.txt".'),
        content: {
          ...needed("content", "The text."),
          expected: "non-empty string of file contents",
        },
      },
      result: { path: "path", size: "size" },
    },
    sandbox_search_files: {
      tool: "file.glob",
      description: 'Finds files by a pattern. Example: {"pattern": "**/*.png"}.',
      arguments: {
        pattern: needed("pattern", 'The pattern, such as "**/*.png".'),
        path: text("path", 'The directory to look in, such as "output".'),
      },
    },
    sandbox_exec: {
      tool: "shell.exec",
      description:
        "Runs a command in the sandbox and gives stdout, stderr, exit_code and cwd; with background, pid and log_file " +
        'at once, for sandbox_process. Example: {"command": "ls -l", "timeout": 120}.',
      arguments: {
        command: command('The command, such as "ls -l".'),
        cwd,
        timeout: idleTimeout,
        background: flag("background", "Start it and do not wait for it, as for a server."),
      },
      result: { ...commandResult, pid: "pid", log_file: "log_file", background: "background" },
    },
    shell_run: {
      tool: "shell.exec",
      description:
        "Runs a command and gives stdout, stderr, exit_code and cwd. " +
        'Example: {"command": "ls -l"}.',
      arguments: {
        command: command('The command, such as "ls -l".'),
        cwd,
        timeout: idleTimeout,
      },
      result: commandResult,
    },
    sandbox_process: {
      tool: {
        by: "action",
        of: { poll: "process.status", wait: "process.wait", kill: "process.kill" },
      },
      description:
        "Looks at a background process, waits for it or ends it. " +
        'Example: {"action": "poll", "pid": 4242}.',
      arguments: {
        pid: required(number("pid", "What sandbox_exec gave, such as 4242.", { type: "integer" })),
        timeout: seconds("timeout_ms", "For wait: at most this many seconds, such as 60."),
      },
    },
    share_artifact: {
      tool: "artifact.share",
      description:
        "Gives a file to the person: one of the sandbox by its path, or a text as content with a filename. " +
        'Example: {"path": "output/report.pdf"}.',
      arguments: {
        path: text("path", 'The file, such as "output/report.pdf".'),
        content: text("content", "A text to share in place of a file."),
        filename: text("filename", 'A plain name for it, such as "report.md".'),
      },
    },
    search_memory: {
      tool: "memory.search",
      description:
        'Searches what was remembered, by words and by meaning. Example: {"query": "which ports"}.',
      arguments: {
        query: needed("query", 'What to look for, in plain words, such as "which ports".'),
        limit: number("limit", "How many at most, such as 5.", { type: "integer", default: 10 }),
      },
      result: { text: { text: "Found {result_count} matches\n{shown}" } },
    },
    render_chart: {
      tool: "chart.render",
      description:
        "Draws a chart from rows for the person. " +
        'Example: {"chartType": "bar", "rows": [{"month": "May", "sales": 3}], "x": "month", "y": "sales"}.',
      arguments: {
        chartType: required(
          choice("type", 'What to draw, such as "bar".', [
            "line",
            "bar",
            "area",
            "scatter",
            "pie",
            "histogram",
          ]),
        ),
        rows: {
          as: "rows",
          required: true,
          schema: { description: 'The data, such as [{"month": "May", "sales": 3}].' },
        },
        x: { as: "x", required: true },
        y: { as: "y" },
        title: { as: "title" },
      },
    },
  },
} as const satisfies DialectTable
