import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { configRoot, type PolicyConfig } from "../../config/index.ts"
import {
  builtInDialect,
  type DialectTable,
  dialectNames,
  parseDialectYaml,
} from "../../dialects/index.ts"
import { suggest } from "../../kit/index.ts"
import { UsageError } from "./command.ts"

/** The dialect that `--dialect` names: a built-in one, one of the configuration, or a file. */
export async function findDialect(
  name: string,
  config: PolicyConfig | null,
): Promise<DialectTable> {
  if (/\.ya?ml$/.test(name)) return readDialect(name)
  const builtIn = await builtInDialect(name)
  if (builtIn) return builtIn
  const own = await readConfigured(config)
  const found = own.find(({ dialect }) => dialect === name)
  if (found) return found
  const names = [...dialectNames, ...own.map(({ dialect }) => dialect)]
  const hint = suggest(name, names, `there are ${names.join(", ")}, or a file.yaml.`)
  throw new UsageError(`there is no dialect ${JSON.stringify(name)}; ${hint}`)
}

async function readConfigured(config: PolicyConfig | null): Promise<readonly DialectTable[]> {
  if (!config?.dialects) return []
  const base = dirname(config.origin?.file ?? ".")
  const place = configRoot(config.origin).at("dialects")
  return Promise.all(
    config.dialects.map(async (file, index) => {
      const path = resolve(base, file)
      const text = await readFile(path, "utf8").catch(() =>
        place.at(index).fail(`is ${JSON.stringify(path)}, which can't be read.`),
      )
      return parseDialectYaml(text, path)
    }),
  )
}

async function readDialect(file: string): Promise<DialectTable> {
  const text = await readFile(file, "utf8").catch((error) => {
    throw new UsageError(`${file} can't be read (${error.code ?? error.message}).`)
  })
  return parseDialectYaml(text, file)
}
