// `toolkeep/client`: the HTTP API of `toolkeep up`, from a program or a browser.
export { type ApiClient, ApiError, createClient } from "../api/index.ts"
