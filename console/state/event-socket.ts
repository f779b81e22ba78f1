/**
 * Asks for a stream of events over a socket: a browser has six connections to a server for all of its windows, and
 * hundreds of sockets. Where none can be opened, as behind some proxies, it is asked for as any other answer.
 */
export async function fetchEvents(address: URL, init: RequestInit): Promise<Response> {
  return (await overSocket(address, init)) ?? fetch(address, init)
}

/** Null where the server did not answer. */
function overSocket(address: URL, { headers: given, signal }: RequestInit) {
  const { promise, resolve } = Promise.withResolvers<Response | null>()
  const socket = new WebSocket(new URL("/api/streams", address).href.replace(/^http/, "ws"))
  socket.binaryType = "arraybuffer"
  let isOver = false
  let take: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      take = controller
    },
    cancel() {
      isOver = true
      socket.close()
    },
  })
  const end = () => {
    resolve(null)
    if (isOver) return
    isOver = true
    socket.close()
    take.close()
  }
  const headers = new Headers(given)
  socket.onopen = () => {
    const asked = {
      path: address.pathname + address.search,
      authorization: headers.get("Authorization"),
      last_event_id: headers.get("Last-Event-ID"),
    }
    socket.send(JSON.stringify(asked))
  }
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (isOver) return
    if (typeof data !== "string") return take.enqueue(new Uint8Array(data))
    const { status, body: text = body } = JSON.parse(data)
    resolve(new Response(text, { status }))
  }
  socket.onclose = () => {
    signal?.removeEventListener("abort", end)
    end()
  }
  signal?.addEventListener("abort", end)
  if (signal?.aborted) end()
  return promise
}
