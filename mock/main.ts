#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Before anything else is loaded; see server/main.ts.
// An installed one lies in node_modules/@lockstep/.
enableCompileCache(
  join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
);
await import('./sandbox/command-line.ts');
