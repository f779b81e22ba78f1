import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { configurationPage } from "./docs/configuration-page.ts"
import { repositoryRoot } from "./repository.ts"

/** What `npm run docs` writes. A test fails when it is stale. */
await writeFile(join(repositoryRoot, "docs/configuration.md"), configurationPage())
