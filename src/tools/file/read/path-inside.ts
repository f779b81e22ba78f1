/** The path of a directory's entry in the form the directory was named, ready for the next call. */
export function pathInside(directory: string, name: string): string {
  if (/^\/+$/.test(directory)) return `/${name}`
  const base = directory.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "")
  if (base !== "" && base !== ".") return `${base}/${name}`
  // A name of nothing but white space would read as an empty path.
  return name.trim() === "" ? `./${name}` : name
}
