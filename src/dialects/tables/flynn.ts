import type { DialectTable } from "../dialect-table.ts"
import { choice, content, flag, needed, number, required, text } from "./arguments.ts"

const milliseconds = (description: string, byDefault: number) =>
  number("timeout_ms", description, { default: byDefault })
const pid = required(number("pid", "The process's number, such as 4242."))
const namespace = needed("namespace", 'The namespace, such as "project".')
const data = needed("data", "The bytes in base64.")
const count = number("limit", "How many at most, such as 5.", { default: 10 })

/** What a page keeps beside its text. */
const page = { url: "url", title: "title", status: "status", downloads: "downloads" } as const

/** Flynn's built-in tools. Those for sessions are there where sessions are recorded. */
export const flynn = {
  dialect: "flynn",
  about: "Flynn's built-in tools; answers are { success, output, error }.",
  answer: "flynn",
  texts: {
    not_allowed: "Tool '{tool}' is not allowed by tool policy",
    user_denied: "Tool execution cancelled by user",
    timeout: "Tool '{tool}' timed out after {after_ms}ms",
    not_found: "File not found: {path}",
  },
  tools: {
    "file.read": {
      tool: "file.read",
      description: 'Reads a file. Example: {"path": "src/main.ts"}.',
      arguments: {
        path: needed("path", 'The file, such as "src/main.ts".'),
        encoding: choice("encoding", "utf8 for text, base64 for other files.", ["utf8", "base64"]),
      },
      refuses: { listing: '"{path}" is a directory, not a file; list it with file.list.' },
    },
    "file.write": {
      tool: "file.write",
      description:
        'Writes a file, and makes it where there is none. Example: {"path": "a.txt", "content": "hi"}.',
      arguments: {
        path: needed("path", 'The file, such as "notes.md".'),
        content: content("The text."),
      },
    },
    "file.edit": {
      tool: "file.edit",
      description:
        'Replaces a text in a file. Example: {"path": "a.txt", "search": "one", "replace": "two"}.',
      arguments: {
        path: needed("path", 'The file, such as "notes.md".'),
        search: needed("edits[0].search", "The text to look for, exactly."),
        replace: needed("edits[0].replace", "What stands there instead.", { minLength: 0 }),
      },
    },
    "file.list": {
      tool: "file.list",
      description: 'Lists a directory. Example: {"path": "src"}.',
      arguments: {
        path: text("path", 'The directory, such as "src".', { default: "." }),
        recursive: flag("recursive", "Also what is in the directories below."),
      },
    },
    "shell.exec": {
      tool: "shell.exec",
      description:
        'Runs a shell command and gives its stdout and stderr. Example: {"command": "ls -l"}.',
      arguments: {
        command: needed("command", 'The command, such as "ls -l".'),
        cwd: text("cwd", 'The directory to run in, such as "app".'),
        timeout: milliseconds(
          "Ends the command after this many milliseconds, such as 60000.",
          30_000,
        ),
      },
    },
    "process.start": {
      tool: "process.start",
      description:
        'Starts a process in the background. Example: {"command": "npm", "args": ["run", "dev"]}.',
      arguments: {
        command: needed("command", 'The program, such as "npm".'),
        args: {
          as: "args",
          schema: {
            type: "array",
            items: { type: "string" },
            description: 'What it is called with, such as ["run", "dev"].',
          },
        },
        cwd: text("cwd", 'The directory to run in, such as "app".'),
      },
    },
    "process.status": {
      tool: "process.status",
      description: 'Says how a background process is. Example: {"pid": 4242}.',
      arguments: { pid },
    },
    "process.kill": {
      tool: "process.kill",
      description: 'Ends a background process. Example: {"pid": 4242}.',
      arguments: {
        pid,
        signal: choice("signal", "SIGTERM asks first; SIGKILL does not.", ["SIGTERM", "SIGKILL"]),
      },
    },
    "web.fetch": {
      tool: "web.fetch",
      description: 'Fetches a URL. Example: {"url": "https://example.com/"}.',
      arguments: {
        url: needed("url", 'The address, such as "https://example.com/".'),
        method: choice("method", 'The HTTP method, such as "POST".', [
          "GET",
          "POST",
          "PUT",
          "DELETE",
        ]),
        headers: { as: "headers" },
        body: { as: "body" },
        timeout: milliseconds("Ends it after this many milliseconds, such as 5000.", 10_000),
      },
    },
    "web.search": {
      tool: "web.search",
      description: 'Searches the web. Example: {"query": "sqlite full text search"}.',
      arguments: { query: needed("query", "What to look for."), limit: count },
    },
    "browser.navigate": {
      tool: "browser.navigate",
      description: 'Opens a URL in the browser. Example: {"url": "https://example.com/"}.',
      arguments: { url: needed("url", 'The address, such as "https://example.com/".') },
      result: { ...page, text: { text: "Navigated to {url}\n{shown}" } },
    },
    "browser.screenshot": {
      tool: "browser.screenshot",
      description: "Takes a picture of the page that is open. Example: {}.",
      result: { artifact: "artifact", text: { text: "Screenshot taken\n{shown}" } },
    },
    "memory.read": {
      tool: "memory.read",
      description: 'Reads what a namespace remembers. Example: {"namespace": "project"}.',
      arguments: { namespace },
    },
    "memory.write": {
      tool: "memory.write",
      description:
        'Remembers a text in a namespace. Example: {"namespace": "project", "content": "Ports start at 8000."}.',
      arguments: { namespace, content: needed("content", "What to remember.") },
    },
    "memory.search": {
      tool: "memory.search",
      description:
        'Searches what is remembered, by words and by meaning. Example: {"query": "which ports"}.',
      arguments: {
        query: needed("query", "What to look for."),
        namespace: text("namespace", 'Only in this namespace, such as "project".'),
        limit: count,
        keywordOnly: {
          as: "mode",
          values: { true: "keyword", false: "hybrid" },
          schema: {
            type: "boolean",
            default: false,
            description: "By words only, and not by meaning.",
          },
        },
      },
    },
    "media.send": {
      tool: "media.send",
      description:
        'Gives the person an image, a sound or a file. Example: {"data": "aGVsbG8=", "mimeType": "text/plain"}.',
      arguments: {
        data,
        mimeType: needed("mime_type", 'What it is, such as "image/jpeg".'),
        filename: text("filename", 'A name for it, such as "photo.jpg".'),
      },
    },
    "image.analyze": {
      tool: "image.analyze",
      description:
        'Says what is in an image. Example: {"data": "iVBORw0KGgo=", "mimeType": "image/png"}.',
      arguments: {
        data,
        mimeType: required(
          choice("mime_type", 'What it is, such as "image/png".', [
            "image/jpeg",
            "image/png",
            "image/gif",
            "image/webp",
          ]),
        ),
        prompt: text("prompt", 'What to look for, such as "Which numbers are on the sign?".'),
      },
    },
    "audio.transcribe": {
      tool: "audio.transcribe",
      description:
        'Writes down what is said. Example: {"data": "UklGRg==", "mimeType": "audio/wav"}.',
      arguments: {
        data,
        mimeType: required(
          choice("mime_type", 'What it is, such as "audio/wav".', [
            "audio/ogg",
            "audio/wav",
            "audio/mpeg",
            "audio/webm",
          ]),
        ),
      },
    },
    "system.info": {
      tool: "system.info",
      description: "Says what this sandbox is and what it can do. Example: {}.",
    },
    "sessions.list": {
      tool: "sessions.list",
      description: 'Lists the recorded sessions. Example: {"limit": 20}.',
      arguments: { limit: number("limit", "How many at most, such as 20.", { default: 20 }) },
    },
    "sessions.delete": {
      tool: "sessions.delete",
      description: 'Deletes a recorded session. Example: {"session": "demo"}.',
      arguments: { session: needed("session", 'Its name, such as "demo".') },
    },
  },
} as const satisfies DialectTable
