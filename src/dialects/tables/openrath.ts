import type { DialectTable } from "../dialect-table.ts"
import { content, needed } from "./arguments.ts"

/** The longest command that the document's shell takes. */
const commandCharacters = 2048

/** Two system tools, as in OpenRath's document on tools; answers are JSON text with fixed fields. */
export const openrath = {
  dialect: "openrath",
  about: "OpenRath's two system tools; answers are JSON text with fixed fields and limits.",
  answer: "openrath",
  tools: {
    run_shell_command: {
      tool: "shell.exec",
      description:
        "Runs one shell command, of one line, in the sandbox's workspace. " +
        'Example: {"command": "ls -l"}.',
      arguments: {
        command: {
          ...needed(
            "command",
            `One line of at most ${commandCharacters} characters, such as "ls -l".`,
            { maxLength: commandCharacters, pattern: "^[^\\r\\n]*$" },
          ),
          // The document's tool raises an error, which its loop answers like that of any tool.
          refusal: "execution_error",
        },
      },
    },
    write_workspace_file: {
      tool: "file.write",
      description:
        "Writes a UTF-8 text file into the sandbox's workspace. " +
        'Example: {"path": "notes.md", "content": "# Notes\\n"}.',
      arguments: {
        path: needed("path", 'The file, such as "notes.md".'),
        content: content("The text."),
      },
    },
  },
} as const satisfies DialectTable
