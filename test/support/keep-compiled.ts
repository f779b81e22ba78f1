import { flushCompileCache } from "node:module"
import { beforeAll } from "vitest"

// By now the file's modules are loaded. A test process is ended by a signal, and so would keep none for the next.
beforeAll(() => flushCompileCache())
