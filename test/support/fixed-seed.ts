import fc from "fast-check"

// The same cases in every run: what fails is what was changed. `TEST_SEED=7 npx vitest run src` draws others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) })
