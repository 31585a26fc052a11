#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';

// Anything later would be a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 18)) {
  process.stderr.write(`lockstep-mock needs Node 24.18 or later, this is ${process.version}.\n`);
  process.exit(2);
}

// Before anything else is loaded; see server/main.ts.
// An installed one lies in node_modules/@lockstep/.
module.enableCompileCache(
  join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
);
// Lines that nobody reads any more, as of `npm run mock | head -1`, are no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const { serveSandbox } = await import('./sandbox/command-line.ts');
process.exit(await serveSandbox(process.argv.slice(2), { out: process.stdout, error: process.stderr }));
