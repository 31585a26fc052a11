#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Before anything else is loaded; see server/main.ts.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
await import('./demo/command-line.ts');
