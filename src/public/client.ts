// `toolkeep/client`: the HTTP API of `toolkeep up`, from a program or a browser.
export { type ApiClient, ApiError, createClient } from "../http/client/create-client.ts"
