import type { DialectArgument, DialectTable } from "../dialect-table.ts"

const sandbox: DialectArgument = {
  as: "sandbox",
  schema: {
    type: "string",
    default: "default",
    description: 'The sandbox to use, made on first use, such as "builder".',
  },
}

const named = (as: string, description: string): DialectArgument => ({
  as,
  required: true,
  schema: { type: "string", minLength: 1, description },
})

/** Named sandboxes in a pool, as in the document on an agent's tools over Cloudflare Sandbox. */
export const cloudflare = {
  dialect: "cloudflare",
  about: "Eight tools over a pool of named sandboxes; answers are { content, isError }.",
  answer: "cloudflare",
  tools: {
    shell: {
      tool: "shell.exec",
      description:
        "Runs a shell command in a sandbox and gives its stdout, stderr and exit_code. " +
        'Example: {"sandbox": "builder", "command": "npm test"}.',
      arguments: {
        sandbox,
        command: named("command", 'The command, such as "npm run build".'),
        timeout_ms: {
          as: "timeout_ms",
          schema: {
            type: "number",
            minimum: 1,
            default: 30_000,
            description: "Ends the command after this many milliseconds, such as 120000.",
          },
        },
        working_dir: {
          as: "cwd",
          schema: {
            type: "string",
            default: "{home}",
            description: 'The directory to run in, such as "app".',
          },
        },
      },
      result: { stdout: "stdout", stderr: "stderr", exit_code: "exit_code" },
    },
    read_file: {
      tool: "file.read",
      description:
        "Reads a file of a sandbox as text and gives its content and the whole file's size in bytes. " +
        'Example: {"path": "app/main.py"}.',
      arguments: {
        sandbox,
        path: named("path", 'The file, such as "app/main.py".'),
        offset: {
          as: "offset",
          schema: { type: "number", minimum: 0, description: "The first byte to read, such as 0." },
        },
        limit: {
          as: "limit",
          schema: {
            type: "number",
            minimum: 1,
            description: "How many bytes to read at most, such as 4096.",
          },
        },
      },
      result: { content: "text", size: "size" },
    },
    write_file: {
      tool: "file.write",
      description:
        "Writes a text file in a sandbox, or adds to its end, and gives its size in bytes afterwards. " +
        'Example: {"path": "app/main.py", "content": "print(1)\\n"}.',
      arguments: {
        sandbox,
        path: named("path", 'The file, such as "app/main.py".'),
        content: {
          as: "content",
          required: true,
          schema: { type: "string", minLength: 0, description: "The text." },
        },
        append: {
          as: "append",
          schema: {
            type: "boolean",
            default: false,
            description: "Add to the end, and keep what is there.",
          },
        },
      },
      result: { ok: { value: true }, size: "size" },
    },
    glob: {
      tool: "file.glob",
      description:
        "Lists the files of a sandbox whose path matches a pattern. " +
        'Example: {"pattern": "**/*.ts"}.',
      arguments: {
        sandbox,
        pattern: named("pattern", 'The pattern, such as "src/**/*.ts".'),
        cwd: {
          as: "path",
          schema: {
            type: "string",
            default: "{home}",
            description: 'The directory that the pattern starts in, such as "app".',
          },
        },
      },
      // A plain listing knows nothing of .gitignore.
      with: { include_ignored: true },
      result: { files: "files" },
    },
    browse: {
      tool: "sandbox.browse",
      description:
        "Makes a port of a sandbox reachable and gives a URL that a browser opens. " +
        'Example: {"sandbox": "backend", "port": 8000}.',
      arguments: {
        sandbox,
        port: {
          as: "port",
          required: true,
          schema: {
            type: "number",
            minimum: 1,
            maximum: 65_535,
            description: "The port that a server inside listens on, such as 8000.",
          },
        },
      },
      result: { url: "url" },
    },
    sandbox_create: {
      tool: "sandbox.create",
      description:
        "Makes a named sandbox; one that is there already is left as it is, and created is false. " +
        'Example: {"sandbox": "backend"}.',
      arguments: {
        sandbox: named("sandbox", 'Its name, such as "backend".'),
        image: {
          as: "image",
          schema: {
            type: "string",
            minLength: 1,
            default: "node:22",
            description: 'What it is made of, such as "python:3.12".',
          },
        },
        sleep_after_ms: {
          as: "sleep_after_ms",
          schema: {
            type: "number",
            minimum: 1,
            default: 600_000,
            description: "It sleeps after this many milliseconds without use, such as 600000.",
          },
        },
      },
      result: { sandbox: "sandbox", created: "created" },
    },
    sandbox_list: {
      tool: "sandbox.list",
      description: "Lists the sandboxes of this session, running and sleeping. Example: {}.",
      result: {
        sandboxes: {
          each: "sandboxes",
          fields: { name: "name", image: "image", status: "status" },
        },
      },
    },
    transfer: {
      tool: "sandbox.transfer",
      description:
        "Copies a file, or with recursive a whole directory, from one sandbox to another. " +
        'Example: {"from_sandbox": "frontend", "from_path": "app/dist", "to_sandbox": "backend", "to_path": "app/static", "recursive": true}.',
      arguments: {
        from_sandbox: named("from_sandbox", 'Where it is now, such as "frontend".'),
        from_path: named("from_path", 'The file or directory, such as "app/dist".'),
        to_sandbox: named("to_sandbox", 'Where it goes, such as "backend".'),
        to_path: named("to_path", 'What it becomes there, such as "app/static".'),
        recursive: {
          as: "recursive",
          schema: {
            type: "boolean",
            default: false,
            description: "Copy a directory with all that is in it.",
          },
        },
      },
      result: { ok: { value: true }, bytes: "bytes" },
    },
  },
} as const satisfies DialectTable
