import { limits } from "../../contract/index.ts"

const proxy = `http://127.0.0.1:${limits.network.port}`
const direct = "localhost,127.0.0.1,::1"

/** How programs are told of the proxy: some read the one writing, some the other. */
export const proxyVariables: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: direct,
  no_proxy: direct,
  // Node's own fetch reads them only when it is asked to.
  NODE_USE_ENV_PROXY: "1",
}
