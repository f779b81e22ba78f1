/** Apart from the rest of the folder, because who bridges other servers in need not be one. */
export async function loadLineServer(): Promise<typeof import("./stdio/serve-stdio.ts")> {
  return import("./stdio/serve-stdio.ts")
}

/** Apart from the other, because a server on standard input and output needs nothing of HTTP. */
export async function loadHttpServer(): Promise<typeof import("./http/serve-http.ts")> {
  return import("./http/serve-http.ts")
}
