#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';

// A project is installed and checked out by people with whatever Node they have; anything later would be a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 18)) {
  process.stderr.write(`lockstep needs Node 24.18 or later, this is ${process.version}.\n`);
  process.exit(2);
}

// Before anything else is loaded, so that all of it counts: the TypeScript compiler behind `generate` is 9 MB of source. Where it is kept,
// and why there, says server/main.ts.
// An installed one lies in node_modules/@lockstep/.
module.enableCompileCache(
  join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
);
// Lines that nobody reads any more, as of `lockstep mock | head -1`, are no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const { lockstep } = await import('./command-line.ts');
process.exitCode = await lockstep(process.argv.slice(2), { out: process.stdout, error: process.stderr });
