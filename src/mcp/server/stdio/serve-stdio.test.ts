import { setTimeout as wait } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import {
  fileTool,
  generations,
  openMcpFixture,
  simpleTool,
} from "../../../../test/support/mcp/mcp-fixture.ts"
import { pixel } from "../../../../test/support/pixel.ts"
import { withAbort } from "../../../kit/index.ts"
import type { CallEntries, Session } from "../../../session/index.ts"

describe.each(generations)("a client of $generation", (generation) => {
  it("O1, F20.model: sees the session's tools with titles, hints and the envelope's schema, and gets envelopes", async () => {
    await using ground = await openMcpFixture()
    const client = await ground.connect(generation)
    expect(client.getNegotiatedProtocolVersion()).toBe(generation.generation)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      ground.session.tools({ for: "mcp" }).map(({ name }) => name),
    )
    expect(tools.find(({ name }) => name === "file_read")).toMatchObject({
      title: "Read a file",
      inputSchema: { type: "object", additionalProperties: false },
      outputSchema: { type: "object", oneOf: [{}, {}] },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    })
    const note = { path: "a.md", content: "# A" }
    expect(await client.callTool({ name: "file_write", arguments: note })).toMatchObject({
      isError: false,
      content: [{ type: "text", text: expect.stringContaining("a.md") }],
      structuredContent: { ok: true, tool: "file_write", result: {} },
    })
  })

  it("O1: a result is an error exactly when its envelope is a failure", async () => {
    await using ground = await openMcpFixture()
    const client = await ground.connect(generation)
    const results = await Promise.all([
      client.callTool({ name: "file_read", arguments: { path: "/etc/passwd" } }),
      client.callTool({ name: "file_read", arguments: { pth: "a" } }),
      client.callTool({ name: "file.reed" }),
      client.callTool({ name: "file.list", arguments: { path: "." } }),
    ])
    expect(results).toMatchObject([
      { isError: true, structuredContent: { kind: "invalid_args" } },
      { isError: true, structuredContent: { kind: "invalid_args" } },
      { isError: true, structuredContent: { kind: "tool_not_found" } },
      {
        isError: false,
        structuredContent: expect.not.objectContaining({ kind: expect.anything() }),
      },
    ])
  })

  it("F20: with many tools it sees the usual ones, searches for another, hears that the list has changed, and calls it", async () => {
    await using ground = await openMcpFixture({ defer: "on" })
    const changed = Promise.withResolvers<readonly string[]>()
    const client = await ground.connect(generation, {
      listChanged: {
        tools: { onChanged: (_, tools) => changed.resolve((tools ?? []).map(({ name }) => name)) },
      },
    })
    const { tools } = await client.listTools()
    const atFirst = tools.map(({ name }) => name)
    // The ten of file, shell.exec, code.run, sandbox.create, system.info and tools.search.
    expect(atFirst).toHaveLength(15)
    expect(atFirst).toContain("tools_search")
    const arguments_ = { query: "remember something", limit: 1 }
    const answer = await client.callTool({ name: "tools_search", arguments: arguments_ })
    expect(answer).toMatchObject({
      isError: false,
      structuredContent: { result: { kind: "tools", tools: [{ name: "memory_write" }] } },
    })
    expect((await changed.promise).toSorted()).toEqual([...atFirst, "memory_write"].toSorted())
    const note = { namespace: "user", content: "Prefers tea." }
    expect(await client.callTool({ name: "memory_write", arguments: note })).toMatchObject({
      structuredContent: { ok: true, tool: "memory_write" },
    })
  })

  it("O22: images that models take are images, texts and drawings are embedded, other artifacts are links that can be read", async () => {
    const files = [
      { filename: "dot.png", mimeType: "image/png", content: pixel },
      { filename: "notes.md", mimeType: "text/markdown", content: Buffer.from("# Notes") },
      { filename: "plan.svg", mimeType: "image/svg+xml", content: Buffer.from("<svg/>") },
      { filename: "scan.tiff", mimeType: "image/tiff", content: pixel },
      { filename: "data.bin", mimeType: "application/octet-stream", content: pixel },
      { filename: "long.txt", mimeType: "text/plain", content: Buffer.alloc(50_000, "a") },
    ]
    await using ground = await openMcpFixture({
      tools: (session) => [fileTool("test.make", session, files)],
    })
    const client = await ground.connect(generation)
    const { content, isError } = await client.callTool({ name: "test_make" })
    const uri = expect.stringMatching(/^toolkeep:\/\/artifact\/artifact_/)
    expect({ content, isError }).toEqual({
      isError: false,
      content: [
        { type: "text", text: "Made it." },
        { type: "image", mimeType: "image/png", data: pixel.toString("base64") },
        { type: "resource", resource: { uri, mimeType: "text/markdown", text: "# Notes" } },
        { type: "resource", resource: { uri, mimeType: "image/svg+xml", text: "<svg/>" } },
        expect.objectContaining({ type: "resource_link", uri, name: "scan.tiff" }),
        expect.objectContaining({ type: "resource_link", uri, name: "data.bin", size: 70 }),
        expect.objectContaining({ type: "resource_link", uri, name: "long.txt", size: 50_000 }),
      ],
    })
    const { resources } = await client.listResources()
    expect(resources.map(({ name }) => name).sort()).toEqual([
      "data.bin",
      "dot.png",
      "long.txt",
      "notes.md",
      "plan.svg",
      "scan.tiff",
    ])
    const binary = resources.find(({ name }) => name === "data.bin")?.uri ?? ""
    expect(await client.readResource({ uri: binary })).toMatchObject({
      contents: [{ uri: binary, blob: pixel.toString("base64") }],
    })
    await expect(client.readResource({ uri: "toolkeep://artifact/../../x" })).rejects.toThrow(
      /not found/i,
    )
  })

  it("F20, Y16.events: progress notifications carry the output while the command runs", async () => {
    await using ground = await openMcpFixture({ host: "bubblewrap" })
    const client = await ground.connect(generation)
    const seen: string[] = []
    const second = Promise.withResolvers<void>()
    const command =
      "echo one; sleep 0.2; echo two; cat >/dev/null </dev/null; sleep 0.2; echo three"
    const call = client.callTool(
      { name: "shell_exec", arguments: { command } },
      {
        onprogress: ({ progress, message = "" }) => {
          expect(progress).toBe(seen.push(message))
          if (message.includes("two")) second.resolve()
        },
      },
    )
    expect(await Promise.race([second.promise.then(() => "live"), call])).toBe("live")
    expect(await call).toMatchObject({ structuredContent: { ok: true } })
    // On a busy machine, it may take so long that signs of life are in between.
    const output = seen.filter((message) => !message.includes("has been running for"))
    expect(output.join("")).toBe("one\ntwo\nthree\n")
  })

  it("cancelling ends the work in the sandbox", async () => {
    await using ground = await openMcpFixture({ host: "bubblewrap" })
    const client = await ground.connect(generation)
    const cancel = new AbortController()
    const started = Promise.withResolvers<void>()
    const command = "echo $$; sleep 1234.5"
    const call = client.callTool(
      { name: "shell_exec", arguments: { command, timeout_ms: 600_000 } },
      { signal: cancel.signal, onprogress: () => started.resolve() },
    )
    await started.promise
    cancel.abort("enough")
    await expect(call).rejects.toThrow()
    const left = () =>
      ground.session.call("shell.exec", { command: "cat /proc/[0-9]*/cmdline | tr '\\0' ' '" })
    await expect.poll(left).not.toMatchObject({
      result: { stdout: expect.stringContaining("sleep 1234.5") },
    })
  })

  it("a call that is cancelled while the client's directories are mounted does not go on", async () => {
    let running = 0
    const tool = simpleTool("test.hang", async (_, { signal }) => {
      running += 1
      await withAbort(new Promise(() => {}), signal).catch(() => {})
      running -= 1
    })
    await using ground = await openMcpFixture({
      host: "bubblewrap",
      tools: () => [tool],
      mountRoots: "read",
    })
    const client = await ground.connect(generation, { capabilities: { roots: {} } })
    const cancel = new AbortController()
    client.setRequestHandler("roots/list", () => {
      setTimeout(() => cancel.abort("enough"), 20)
      return { roots: [{ uri: import.meta.resolve(".") }] }
    })
    const call = client.callTool({ name: "test_hang" }, { signal: cancel.signal })
    await expect(call).rejects.toThrow()
    await expect.poll(() => ground.session.sandboxes.list()).toHaveLength(1)
    // What comes after it has its turn after it.
    await client.callTool({ name: "file_list", arguments: { path: "." } })
    await expect.poll(() => running).toBe(0)
  })

  it("X7.client, Y11: where the client can ask a person, an ask is their yes or no", async () => {
    await using ground = await openMcpFixture({
      policy: { tools: { policy: "full", hooks: { confirm: ["file.write"] } } },
    })
    const client = await ground.connect(generation, { capabilities: { elicitation: {} } })
    const asked: string[] = []
    let action: "accept" | "decline" | "cancel" = "accept"
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return { action, content: {} }
    })
    const run = () =>
      client.callTool({ name: "file_write", arguments: { path: "a.md", content: "yes" } })
    expect(await run()).toMatchObject({ structuredContent: { ok: true, tool: "file_write" } })
    expect(asked[0]).toContain('"content": "yes"')
    for (action of ["decline", "cancel"] as const) {
      expect(await run()).toMatchObject({
        isError: true,
        structuredContent: { kind: "user_denied" },
      })
    }
    expect(asked).toHaveLength(3)
  })

  it("Y11: where it can't, an ask is refused with what to do", async () => {
    await using ground = await openMcpFixture({
      policy: { tools: { policy: "full", hooks: { confirm: ["file.write"] } } },
    })
    const client = await ground.connect(generation)
    const result = await client.callTool({
      name: "file_write",
      arguments: { path: "a", content: "" },
    })
    expect(result).toMatchObject({ isError: true, structuredContent: { kind: "rejected" } })
    expect(result.structuredContent).toHaveProperty(
      "message",
      expect.stringMatching(
        /this client can't ask a person .* allow the call in toolkeep\.yaml\.$/,
      ),
    )
  })

  it("a call whose client is gone is ended", async () => {
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<unknown>()
    const tool = simpleTool("test.hang", async (_, { signal }) => {
      started.resolve()
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
      ended.resolve("ended")
    })
    await using ground = await openMcpFixture({ tools: () => [tool] })
    const client = await ground.connect(generation)
    client.callTool({ name: "test_hang" }).catch(() => {})
    await started.promise
    ground.input.end()
    expect(await ended.promise).toBe("ended")
    await ground.done
    expect(await ground.session.artifacts.list()).toEqual([])
  })

  it("F20: a long silent call is heard of, other requests are answered meanwhile, and a server that stops ends it soon, also one that is kept", async () => {
    const tool = simpleTool(
      "test.silent",
      (_, { signal }) =>
        new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
    )
    const limits = { keepAliveMs: 30, stopMs: 100 }
    await using ground = await openMcpFixture({ tools: () => [tool], persistAnswers: true, limits })
    const client = await ground.connect(generation)
    const heard: string[] = []
    client.setRequestHandler("ping", () => {
      heard.push("ping")
      return {}
    })
    client.callTool({ name: "test_silent" }).catch(() => {})
    const onprogress = ({ message = "" }) => heard.push(message)
    client.callTool({ name: "test_silent" }, { onprogress }).catch(() => {})
    await expect.poll(() => heard).toContain("[test_silent has been running for 0 s]")
    if (generation.mode === "legacy") await expect.poll(() => heard).toContain("ping")
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    ground.stop()
    await ground.done
    const answer = {
      kind: "unavailable",
      message: expect.stringContaining("The server was stopped"),
    }
    expect(await recordedAnswers(ground.session)).toMatchObject([answer, answer])
  })

  it("F20: or it goes on, and its answer is found by the next client", async () => {
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const tool = simpleTool("test.slow", async () => {
      started.resolve()
      await finish.promise
      return { text: "done" }
    })
    await using ground = await openMcpFixture({ tools: () => [tool], persistAnswers: true })
    const client = await ground.connect(generation)
    client.callTool({ name: "test_slow" }).catch(() => {})
    await started.promise
    ground.input.end()
    await wait(50)
    finish.resolve()
    await ground.done
    const done = { ok: true, tool: "test.slow", result: { text: "done" } }
    expect(await recordedAnswers(ground.session)).toEqual([done])
    await using next = await openMcpFixture({ home: ground.home, persistAnswers: true })
    const other = await next.connect(generation)
    const { resources } = await other.listResources()
    expect(resources).toMatchObject([{ name: expect.stringMatching(/^test_slow-call_\w+\.json$/) }])
    const { contents } = await other.readResource({ uri: resources[0]?.uri ?? "" })
    expect(contents).toMatchObject([{ mimeType: "application/json", text: JSON.stringify(done) }])
    await expect(other.readResource({ uri: "toolkeep://answer/call_0" })).rejects.toThrow()
  })
})

async function recordedAnswers(session: Session): Promise<unknown[]> {
  const entries = (await (await session.record?.())?.entries()) ?? []
  const answers = entries.filter(({ kind }) => kind === "envelope")
  return answers.map(({ body }) => (body as CallEntries["envelope"]).envelope)
}
