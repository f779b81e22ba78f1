import type { ProviderSettings } from "./search-tool.ts"

/** Why a provider can't even be asked. */
export function providerProblem({ provider, url, key_from: key }: ProviderSettings): string | null {
  if (provider === "searxng") {
    return url === undefined ? "searxng needs its url in toolkeep.yaml." : null
  }
  if (key === undefined) {
    return `${provider} needs key_from in toolkeep.yaml: the environment variable that holds its key.`
  }
  return process.env[key] ? null : `${provider} needs its key in the environment variable ${key}.`
}
