import { resolvePath, type Workspace } from "../../contract/index.ts"

/** The same sandbox seen from another directory, as a child task sees it. */
export function workspaceAt(parent: Workspace, path: string): Workspace {
  const cwd = resolvePath(parent.cwd, path)
  const inside = (other: string) => resolvePath(cwd, other)
  return {
    name: parent.name,
    cwd,
    roots: parent.roots,
    can: parent.can,
    exec: (command, options = {}) =>
      parent.exec(command, { ...options, cwd: inside(options.cwd ?? ".") }),
    readFile: (other, options) => parent.readFile(inside(other), options),
    readFileBuffer: (other, options) => parent.readFileBuffer(inside(other), options),
    writeFile: (other, content, options) => parent.writeFile(inside(other), content, options),
    stat: (other, options) => parent.stat(inside(other), options),
    readdir: (other, options) => parent.readdir(inside(other), options),
    exists: (other, options) => parent.exists(inside(other), options),
    mkdir: (other, options) => parent.mkdir(inside(other), options),
    remove: (other, options) => parent.remove(inside(other), options),
    rename: (other, to, options) => parent.rename(inside(other), inside(to), options),
    copy: (other, to, options) => parent.copy(inside(other), inside(to), options),
    exportTree: (other, options) => parent.exportTree(inside(other), options),
    importTree: (other, archive, options) => parent.importTree(inside(other), archive, options),
    runCode: (language, code, options = {}) =>
      parent.runCode(language, code, { ...options, cwd: inside(options.cwd ?? ".") }),
    openTerminal: (options) => parent.openTerminal({ ...options, cwd: inside(options.cwd ?? ".") }),
    connect: (port, options) => parent.connect(port, options),
    processes: {
      ...parent.processes,
      start: (command, options = {}) =>
        parent.processes.start(command, { ...options, cwd: inside(options.cwd ?? ".") }),
    },
  }
}
