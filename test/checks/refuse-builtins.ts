import { isBuiltin, registerHooks } from "node:module"

// Preloaded into a Node process, makes every import and require of a Node module fail.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (isBuiltin(specifier)) {
      throw new Error(`${specifier} was imported by ${context.parentURL ?? "the entry"}`)
    }
    return nextResolve(specifier, context)
  },
})
