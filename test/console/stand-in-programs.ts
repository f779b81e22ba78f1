/** For images: what the document's patterns would download, and what can't work as they print it. */
export const standInPrograms: Readonly<Record<string, string>> = {
  npm: '#!/bin/sh\necho "npm $*"\n',
  // Without a file tsc prints its help: here it compiles index.ts, by removing its types.
  npx: `#!/bin/sh
mkdir -p dist
sed 's/: [a-z]*//g' index.ts > dist/index.js
sed 's/^const \\([a-z]*\\): \\([a-z]*\\).*/declare const \\1: \\2/' index.ts > dist/index.d.ts
`,
  git: `#!/bin/sh
for last; do :; done
mkdir -p "$last"
seq 120 > "$last/a.ts"
seq 3 > "$last/b.ts"
`,
  // Nothing else writes the chart that the pattern shows.
  Rscript: `#!/bin/sh
cat > /tmp/chart.svg <<'SVG'
<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="document.title='attacked'">
<style type="text/css"><![CDATA[
@import url("https://example.com/a.css");
text { fill: rgb(0, 0, 255); cursor: url(https://example.com/x.png), help; --x: u\\72l(https://example.com/x.png) }
h1, header, main, [data-pattern-scope] { display: none }
svg { position: fixed; inset: 0; width: 9000px; height: 9000px }
@media (min-width: 1px) { .inner-html, text { stroke: rgb(255, 0, 0) } }
@keyframes spin { to { transform: none } }
} h1 { display: none }
]]></style><script>document.title = "attacked"</script>
<defs><g id="bar"><rect width="10" height="20" style="fill: rgb(0, 128, 0)"/></g></defs>
<use href="#bar"/><image href="https://example.com/x.png"/><text y="10">2 rows</text></svg>
SVG
echo '{"ready":[true]}'
`,
}
