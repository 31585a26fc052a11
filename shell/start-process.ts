import module from 'node:module';
import { join } from 'node:path';

/**
 * Prepares the process of an installable program, before it loads anything else.
 *
 * @param program its name
 * @param main `import.meta` of its file, at the top of a workspace
 */
export function startProcess(program: string, main: Pick<ImportMeta, 'dirname' | 'filename'>): void {
  // An older Node would print a stack trace later. With better-sqlite3 13 it even crashes by a segmentation fault, without a message.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 18)) {
    process.stderr.write(`${program} needs Node 24.18 or later, this is ${process.version}.\n`);
    process.exit(2);
  }
  // Each of a server's 1,100 files is compiled once, which saves a third of a start. Node would keep the cache in the folder for temporary files:
  // there the user who creates it first chooses the code. If the cache can't be written, nothing is kept.
  // An installed program is in node_modules/@lockstep/.
  const modules = main.filename.endsWith('.ts') ? '../node_modules' : '../..';
  module.enableCompileCache(join(main.dirname, modules, '.cache/compiled'));
  ignoreUnreadOutput();
}

/** Keeps the process running after the reader of its output exits, as in `lockstep mock | head -1`. */
export function ignoreUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
