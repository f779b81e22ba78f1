import { existsSync, readdirSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parseDocument } from "yaml"
import { repositoryRoot } from "../../scripts/repository.ts"
import { buildTypedPackage } from "../support/built-package.ts"
import { indentedCommands, markdownBlocks } from "./documents/markdown-blocks.ts"
import { anchorsOf, localLinks } from "./documents/markdown-links.ts"
import { isShownOutput, type ShownCommand, shownCommands } from "./documents/transcript.ts"
import { runCommand } from "./run-command.ts"
import { makeSourceCopy, type SourceCopy } from "./source-copy.ts"

/** The only commands in documents that are not executed here, each with what executes it instead. */
const runElsewhere: Readonly<Record<string, string>> = {
  "npm start": "is run by test/e2e/up.test.ts",
  "npm test": "is what runs this test",
}

const documents = [".", "docs", "docs/decisions"].flatMap((folder) =>
  readdirSync(join(repositoryRoot, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
)
const readDocument = (document: string) => readFileSync(join(repositoryRoot, document), "utf8")

const blocks = documents.flatMap((document) =>
  markdownBlocks(readDocument(document)).map((block) => ({
    ...block,
    place: `${document}:${block.line}`,
    text: block.lines.join("\n"),
  })),
)
const blocksIn = (language: string) => blocks.filter((block) => block.language === language)

const commands = blocksIn("sh").flatMap((block) => {
  const document = block.place.slice(0, block.place.lastIndexOf(":"))
  return shownCommands(block).map((shown) => ({ ...shown, place: `${document}:${shown.line}` }))
})

let copy: SourceCopy
beforeAll(async () => {
  copy = await makeSourceCopy(await buildTypedPackage())
}, 600_000)
afterAll(() => copy[Symbol.asyncDispose]())

async function runShown({ command, exitCode, output }: ShownCommand): Promise<void> {
  const result = await runCommand(command, { cwd: copy.root, environment: copy.environment })
  expect(result, command).toEqual({ exitCode, output: expect.anything() })
  if (output !== null && !isShownOutput(output, result.output)) {
    expect(result.output, `${command}\nprints something else than the document shows`).toBe(output)
  }
}

describe("the documents", () => {
  it("begin with a README.md", () => {
    expect(documents).toContain("README.md")
  })

  it("say for every block what it is, so that none is left out here", () => {
    const known = ["sh", "ts", "json", "yaml", "text"]
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([])
    for (const document of documents) {
      expect(indentedCommands(readDocument(document)), document).toEqual([])
    }
  })

  it("have links that lead to a file and a headline", () => {
    const broken = documents.flatMap((document) =>
      localLinks(readDocument(document))
        .filter(({ path, anchor }) => {
          const target = path === "" ? document : join(dirname(document), path)
          if (!existsSync(join(repositoryRoot, target))) return true
          return anchor !== "" && !anchorsOf(readDocument(target)).includes(anchor)
        })
        .map(({ path, anchor }) => `${document}: ${path}#${anchor}`),
    )
    expect(broken).toEqual([])
  })

  it("show how to run the project", () => {
    expect(commands.map(({ command }) => command)).toEqual(
      expect.arrayContaining(Object.keys(runElsewhere)),
    )
  })

  const executed = commands.filter(({ command }) => !Object.hasOwn(runElsewhere, command))
  for (const shown of executed) {
    it(`${shown.place} runs: ${shown.command}`, () => runShown(shown))
  }

  const programs = blocksIn("ts").map((block, index) => ({ ...block, file: `block-${index}.ts` }))
  if (programs.length > 0) {
    it("have programs without type errors", async () => {
      for (const { file, text } of programs) await writeFile(join(copy.root, file), text)
      const config = {
        extends: "./tsconfig.json",
        // The types are those of the package: "toolkeep" is not a path in the sources here.
        compilerOptions: { paths: {} },
        include: programs.map(({ file }) => file),
      }
      await writeFile(join(copy.root, "tsconfig.blocks.json"), JSON.stringify(config))
      const checked = await runCommand("tsc -p tsconfig.blocks.json", {
        cwd: copy.root,
        environment: copy.environment,
      })
      expect(checked).toEqual({ exitCode: 0, output: "" })
    })
  }
  for (const { place, file } of programs) {
    it(`${place} runs: a program`, () =>
      runShown({ line: 0, command: `node ${file}`, exitCode: 0, output: null }))
  }

  for (const { place, text } of blocksIn("json")) {
    it(`${place} is JSON`, () => expect(() => JSON.parse(text)).not.toThrow())
  }
  for (const { place, text } of blocksIn("yaml")) {
    it(`${place} is YAML`, () => expect(parseDocument(text).errors).toEqual([]))
  }
})
