import { getCompileCacheDir } from "node:module"

/**
 * What a thread's environment needs so that the thread finds compiled code where this process keeps it, if it does:
 * to compile takes longer than most of what a thread does.
 */
export function compiledCodeEnvironment(): Record<string, string> {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }
}
