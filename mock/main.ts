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
await import('./sandbox/command-line.ts');
