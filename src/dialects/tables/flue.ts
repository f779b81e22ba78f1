import type { DialectArgument, DialectTable } from "../dialect-table.ts"

const path: DialectArgument = {
  as: "path",
  required: true,
  schema: { type: "string", minLength: 1, description: 'The path, such as "src/main.ts".' },
}

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
        offset: {
          as: "start_line",
          schema: {
            type: "integer",
            minimum: 1,
            description: "The first line to read, from 1, such as 200.",
          },
        },
        limit: {
          as: "line_count",
          schema: {
            type: "integer",
            minimum: 1,
            description: "How many lines at most, such as 200.",
          },
        },
      },
    },
    write: {
      tool: "file.write",
      description:
        "Writes a text file and makes the directories above it. " +
        'Example: {"path": "notes/today.md", "content": "# Today\\n"}.',
      arguments: {
        path,
        content: {
          as: "content",
          required: true,
          schema: { type: "string", minLength: 0, description: "The whole text." },
        },
      },
    },
    edit: {
      tool: "file.edit",
      description:
        "Replaces an exact text in a file. " +
        'Example: {"path": "src/main.ts", "oldText": "port = 80", "newText": "port = 8080"}.',
      arguments: {
        path,
        oldText: {
          as: "edits[0].search",
          required: true,
          schema: {
            type: "string",
            minLength: 1,
            description: "What stands there now, exactly; it must be there once.",
          },
        },
        newText: {
          as: "edits[0].replace",
          required: true,
          schema: { type: "string", minLength: 0, description: "What stands there afterwards." },
        },
        replaceAll: {
          as: "edits[0].all",
          schema: {
            type: "boolean",
            default: false,
            description: "Replace it wherever it is.",
          },
        },
      },
    },
    bash: {
      tool: "shell.exec",
      description:
        "Runs a bash command. A timeout answers with exitCode 124. " +
        'Example: {"command": "npm test", "timeout": 300}.',
      arguments: {
        command: {
          as: "command",
          required: true,
          schema: { type: "string", minLength: 1, description: 'The command, such as "npm test".' },
        },
        timeout: {
          as: "timeout_ms",
          times: 1_000,
          schema: {
            type: "number",
            minimum: 0.001,
            description: "Ends the command after this many seconds, such as 60.",
          },
        },
      },
      result: { stdout: "stdout", stderr: "stderr", exitCode: "exit_code" },
    },
    grep: {
      tool: "file.grep",
      description:
        "Searches the contents of files by a regular expression. " +
        'Example: {"pattern": "TODO", "path": "src", "include": "*.ts"}.',
      arguments: {
        pattern: {
          as: "pattern",
          required: true,
          schema: {
            type: "string",
            minLength: 1,
            description: 'The regular expression, such as "TODO|FIXME".',
          },
        },
        path: {
          as: "path",
          schema: {
            type: "string",
            minLength: 1,
            default: ".",
            description: 'The file or directory to search, such as "src".',
          },
        },
        include: {
          as: "glob",
          schema: {
            type: "string",
            minLength: 1,
            description: 'Only files whose path matches, such as "*.ts".',
          },
        },
      },
    },
    glob: {
      tool: "file.glob",
      description: 'Finds files by a pattern. Example: {"pattern": "src/**/*.ts"}.',
      arguments: {
        pattern: {
          as: "pattern",
          required: true,
          schema: { type: "string", minLength: 1, description: 'The pattern, such as "**/*.md".' },
        },
        path: {
          as: "path",
          schema: {
            type: "string",
            minLength: 1,
            default: ".",
            description: 'The directory to look in, such as "docs".',
          },
        },
      },
    },
  },
} as const satisfies DialectTable
