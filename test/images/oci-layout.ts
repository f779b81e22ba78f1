import { createHash } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** Writes layers and settings as an OCI image layout, with a manifest that `docker load` reads too. */
export async function writeLayout(
  directory: string,
  layers: readonly string[],
  environment: readonly string[] = [],
): Promise<string> {
  const blobs = join(directory, "blobs", "sha256")
  await mkdir(blobs, { recursive: true })
  const put = async (content: Uint8Array | string) => {
    const hex = createHash("sha256").update(content).digest("hex")
    await writeFile(join(blobs, hex), content)
    return { digest: `sha256:${hex}`, size: Buffer.byteLength(content) }
  }
  const config = await put(JSON.stringify({ config: { Env: environment } }))
  const descriptors = []
  for (const layer of layers) descriptors.push(await put(await readFile(layer)))
  const manifest = await put(JSON.stringify({ schemaVersion: 2, config, layers: descriptors }))
  await writeFile(join(directory, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}')
  await writeFile(
    join(directory, "index.json"),
    JSON.stringify({ schemaVersion: 2, manifests: [manifest] }),
  )
  return directory
}

/** The form that `docker save` wrote before it wrote layouts. */
export async function writeSaved(directory: string, layers: readonly string[]): Promise<string> {
  await mkdir(directory, { recursive: true })
  const names: string[] = []
  for (const [index, layer] of layers.entries()) {
    await mkdir(join(directory, `${index}`))
    await writeFile(join(directory, `${index}`, "layer.tar"), await readFile(layer))
    names.push(`${index}/layer.tar`)
  }
  await writeFile(join(directory, "config.json"), JSON.stringify({ config: {} }))
  const manifest = [{ Config: "config.json", RepoTags: ["small:latest"], Layers: names }]
  await writeFile(join(directory, "manifest.json"), JSON.stringify(manifest))
  return directory
}
