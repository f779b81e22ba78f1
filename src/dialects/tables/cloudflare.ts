import { fileLimits } from "../../tools/index.ts"
import type { DialectArgument, DialectTable } from "../dialect-table.ts"
import { content, flag, needed, number, required, text } from "./arguments.ts"

const sandbox: DialectArgument = {
  as: "sandbox",
  schema: {
    type: "string",
    default: "default",
    description: 'The sandbox to use, made on first use, such as "builder".',
  },
}

/** Named sandboxes in a pool, as in the document on an agent's tools over Cloudflare Sandbox. */
export const cloudflare = {
  dialect: "cloudflare",
  about: "Eight tools over a pool of named sandboxes; answers are { content, isError }.",
  answer: "cloudflare",
  texts: { tool_not_found: "Unknown tool: {tool}" },
  tools: {
    shell: {
      tool: "shell.exec",
      description:
        "Runs a shell command in a sandbox and gives its stdout, stderr and exit_code. " +
        'Example: {"sandbox": "builder", "command": "ls -l"}.',
      arguments: {
        sandbox,
        command: needed("command", 'The command, such as "ls -l".'),
        timeout_ms: number(
          "timeout_ms",
          "Ends the command after this many milliseconds, such as 120000.",
          { default: 30_000 },
        ),
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
        path: needed("path", 'The file, such as "app/main.py".'),
        offset: number("offset", "The first byte to read, such as 0.", { minimum: 0 }),
        limit: number("limit", "How many bytes to read at most, such as 4096."),
      },
      result: { content: "text", size: "size" },
      refuses: { listing: '"{path}" is a directory, not a file.' },
    },
    write_file: {
      tool: "file.write",
      description:
        "Writes a text file in a sandbox, or adds to its end, and gives its size in bytes afterwards. " +
        'Example: {"path": "app/main.py", "content": "print(1)\\n"}.',
      arguments: {
        sandbox,
        path: needed("path", 'The file, such as "app/main.py".'),
        content: content("The text."),
        append: flag("append", "Add to the end, and keep what is there."),
      },
      result: { ok: { value: true }, size: "size" },
    },
    glob: {
      tool: "file.glob",
      description:
        "Lists the files and directories of a sandbox that match a pattern, as a shell does, relative to cwd. " +
        'Example: {"pattern": "src/**/*.ts"}.',
      arguments: {
        sandbox,
        pattern: needed("pattern", 'The pattern, such as "src/**/*.ts".'),
        cwd: {
          as: "path",
          schema: {
            type: "string",
            default: "{home}",
            description: 'The directory that the pattern starts in, such as "app".',
          },
        },
      },
      with: { as_shell: true, limit: fileLimits.listingEntriesMost },
      result: { files: "files" },
    },
    browse: {
      tool: "sandbox.browse",
      description:
        "Makes a port of a sandbox reachable and gives a URL that a browser opens. " +
        'Example: {"sandbox": "backend", "port": 8000}.',
      arguments: {
        sandbox,
        port: required(
          number("port", "The port that a server inside listens on, such as 8000.", {
            maximum: 65_535,
          }),
        ),
      },
      result: { url: "url" },
    },
    sandbox_create: {
      tool: "sandbox.create",
      description:
        "Creates a named sandbox; one that already exists is left as it is, and created is false. " +
        'Example: {"sandbox": "backend"}.',
      arguments: {
        sandbox: needed("sandbox", 'Its name, such as "backend".'),
        image: text("image", 'The image, such as "python:3.12".', { default: "node:22" }),
        sleep_after_ms: number(
          "sleep_after_ms",
          "It sleeps after this many milliseconds without use, such as 600000.",
          { default: 600_000 },
        ),
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
        from_sandbox: needed("from_sandbox", 'Where it is now, such as "frontend".'),
        from_path: needed("from_path", 'The file or directory, such as "app/dist".'),
        to_sandbox: needed("to_sandbox", 'Where it goes, such as "backend".'),
        to_path: needed("to_path", 'What it becomes there, such as "app/static".'),
        recursive: flag("recursive", "Copy a directory with all that is in it."),
      },
      result: { ok: { value: true }, bytes: "bytes" },
    },
  },
} as const satisfies DialectTable
