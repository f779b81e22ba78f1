import { request as requestOver } from "node:http"
import { type RequestOptions, request as requestOverTls } from "node:https"
import { kubernetesLimits } from "../../../limits.ts"
import type { ClusterAddress } from "./cluster-address.ts"
import { clusterFailure, isNotFound, refusalOf } from "./cluster-failure.ts"

/** Requests to an API server, and what its clock says. */
export interface Requests {
  /** Throws what went wrong as a sentence; `ClusterRefusal` where there is no such object. */
  ask<T>(method: string, path: string, body?: object): Promise<T>
  /** The same, with refusals as they are. */
  askBare<T>(method: string, path: string, body?: object): Promise<T>
  /** Milliseconds by the API server's clock, to a second or so: each of its answers says when it was given. */
  now(): number
}

export function createRequests(address: ClusterAddress): Requests {
  const { server, shown } = address
  const start = server.protocol === "http:" ? requestOver : requestOverTls
  let ahead = Date.now() - performance.now()

  async function send(method: string, path: string, body?: object): Promise<string> {
    const options: RequestOptions = { method, path, headers: { accept: "application/json" } }
    await address.authenticate(options)
    const content = body === undefined ? undefined : JSON.stringify(body)
    const headers = content === undefined ? {} : { "content-type": contentType(method) }
    const signal = AbortSignal.timeout(kubernetesLimits.requestMs)
    return new Promise((resolve, reject) => {
      const request = start(server, {
        ...options,
        headers: { ...options.headers, ...headers },
        signal,
      })
      request.once("error", reject)
      request.once("response", async (response) => {
        const pieces: Buffer[] = []
        try {
          for await (const piece of response) pieces.push(piece)
          const text = Buffer.concat(pieces).toString()
          const { statusCode = 0 } = response
          const date = Date.parse(response.headers.date ?? "")
          if (!Number.isNaN(date)) ahead = date - performance.now()
          if (statusCode >= 200 && statusCode < 300) resolve(text)
          else reject(refusalOf(statusCode, text))
        } catch (error) {
          reject(error)
        }
      })
      request.end(content)
    })
  }

  return {
    async ask(method, path, body) {
      const text = await send(method, path, body).catch((error: unknown) => {
        throw isNotFound(error) ? error : clusterFailure(error, shown)
      })
      return JSON.parse(text)
    },
    askBare: async (method, path, body) => JSON.parse(await send(method, path, body)),
    now: () => ahead + performance.now(),
  }
}

function contentType(method: string): string {
  return method === "PATCH" ? "application/json-patch+json" : "application/json"
}
