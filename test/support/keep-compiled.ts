import { flushCompileCache } from "node:module"
import { afterAll } from "vitest"

// By now the functions that the file used are compiled too, and are kept for the next process. A test process is
// ended by a signal, and so would keep none.
afterAll(() => flushCompileCache())
