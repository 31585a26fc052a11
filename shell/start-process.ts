import module from 'node:module';
import { join } from 'node:path';

/**
 * What a program that can be installed does before it loads anything else.
 *
 * @param program its name
 * @param main `import.meta` of its file, at the top of a workspace
 */
export function startProcess(program: string, main: Pick<ImportMeta, 'dirname' | 'filename'>): void {
  // It is installed by people with whatever Node they have; anything later would be a stack trace. better-sqlite3 13 even dies of a
  // segmentation fault, without a word.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 18)) {
    process.stderr.write(`${program} needs Node 24.18 or later, this is ${process.version}.\n`);
    process.exit(2);
  }
  // Of 1,100 files of a server each is compiled once, ours with their types taken out, and a third of a start is gone. Not in the folder for
  // temporary files, where Node would keep it: whoever makes that one first chooses what is run. Where it can't be written, nothing is kept.
  // An installed program lies in node_modules/@lockstep/.
  const modules = main.filename.endsWith('.ts') ? '../node_modules' : '../..';
  module.enableCompileCache(join(main.dirname, modules, '.cache/compiled'));
  ignoreUnreadOutput();
}

/** Lines that nobody reads any more, as of `lockstep mock | head -1`, are no reason to end. */
export function ignoreUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
