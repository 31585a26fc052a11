#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// better-sqlite3 13 dies of a segmentation fault, without a word, under an older Node: commands load it when they run.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(`lockstep-server needs Node 24.18 or later, this is ${process.versions.node}.\n`);
  process.exit(2);
}

// Before anything else is loaded: 1,100 files are compiled once, ours with their types taken out, and a third of a start is gone. Not in the
// folder for temporary files, where Node would keep it: whoever makes that one first chooses what is run. Where it can't be written, nothing is kept.
// An installed one lies in node_modules/@lockstep/.
enableCompileCache(
  join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
);
const { runProgram } = await import('./command-line/program.ts');
await runProgram(process.argv.slice(2), process);
