import { computed, exec, NAME, pattern, UI } from "toolkeep/reactive";

export default pattern<{ sourceCode: string }>(({ sourceCode }) => {
  const build = exec({
    command: [
      "npm init -y",
      "npm install typescript",
      computed(() => `cat <<'SRC' > index.ts\n${sourceCode.get()}\nSRC`),
      "npx tsc --outDir dist",
    ],
    files: ["dist/index.js", "dist/index.d.ts"],
    image: "node:22",
  });

  return {
    [NAME]: "TypeScript Compiler",
    [UI]: (
      <div>
        {build.pending && <ct-loader show-elapsed />}
        {build.result?.files && (
          <div>
            <h3>Compiled JS</h3>
            <pre>{build.result.files["dist/index.js"]}</pre>
          </div>
        )}
      </div>
    ),
    js: computed(() => build.result?.files?.["dist/index.js"] ?? ""),
    dts: computed(() => build.result?.files?.["dist/index.d.ts"] ?? ""),
  };
});
