#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Before anything else is loaded, so that all of it counts: the TypeScript compiler behind `generate` is 9 MB of source. Where it is kept,
// and why there, says server/main.ts.
// An installed one lies in node_modules/@lockstep/.
enableCompileCache(
  join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
);
await import('./command-line.ts');
