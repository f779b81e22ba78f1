/** Names that are easily read as something else. */
export const oddNames: readonly string[] = [
  "日本語 🎉",
  " two words ",
  "two\nlines",
  "ends with a line break\n",
  "-rf",
  "--help",
  "$(id) `id` $HOME",
  'it\'s "quoted" back\\slash',
  "*?[a]{b,c}~",
]
