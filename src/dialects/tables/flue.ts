import type { DialectTable } from "../dialect-table.ts"
import { content, flag, needed, number, required, seconds, text } from "./arguments.ts"

const path = needed("path", 'The path, such as "src/main.ts".')

/** The built-in tools of Flue, whose `task` comes with sessions. */
export const flue = {
  dialect: "flue",
  about: "Flue's built-in tools: read, write, edit, bash, grep, glob; answers are envelopes.",
  answer: "envelope",
  tools: {
    read: {
      tool: "file.read",
      description:
        "Reads a text file, or lists a directory. " +
        'Example: {"path": "src/main.ts", "offset": 1, "limit": 200}.',
      arguments: {
        path,
        offset: number("start_line", "The first line to read, from 1, such as 200.", {
          type: "integer",
        }),
        limit: number("line_count", "How many lines at most, such as 200.", { type: "integer" }),
      },
    },
    write: {
      tool: "file.write",
      description:
        "Writes a text file and makes the directories above it. " +
        'Example: {"path": "notes/today.md", "content": "# Today\\n"}.',
      arguments: {
        path,
        content: content("The whole text."),
      },
    },
    edit: {
      tool: "file.edit",
      description:
        "Replaces an exact text in a file. " +
        'Example: {"path": "src/main.ts", "oldText": "port = 80", "newText": "port = 8080"}.',
      arguments: {
        path,
        oldText: required(
          text("edits[0].search", "What stands there now, exactly; it must be there once."),
        ),
        newText: required(
          text("edits[0].replace", "What stands there afterwards.", { minLength: 0 }),
        ),
        replaceAll: flag("edits[0].all", "Replace it wherever it is."),
      },
    },
    bash: {
      tool: "shell.exec",
      description:
        "Runs a bash command. A timeout answers with exitCode 124. " +
        'Example: {"command": "ls -l", "timeout": 300}.',
      arguments: {
        command: needed("command", 'The command, such as "ls -l".'),
        timeout: seconds("timeout_ms", "Ends the command after this many seconds, such as 60."),
      },
      result: { stdout: "stdout", stderr: "stderr", exitCode: "exit_code" },
    },
    grep: {
      tool: "file.grep",
      description:
        "Searches the contents of files by a regular expression. " +
        'Example: {"pattern": "TODO", "path": "src", "include": "*.ts"}.',
      arguments: {
        pattern: needed("pattern", 'The regular expression, such as "TODO|FIXME".'),
        path: text("path", 'The file or directory to search, such as "src".', { default: "." }),
        include: text("glob", 'Only files whose path matches, such as "*.ts".'),
      },
    },
    glob: {
      tool: "file.glob",
      description: 'Finds files by a pattern. Example: {"pattern": "src/**/*.ts"}.',
      arguments: {
        pattern: needed("pattern", 'The pattern, such as "**/*.md".'),
        path: text("path", 'The directory to look in, such as "docs".', { default: "." }),
      },
    },
  },
} as const satisfies DialectTable
