// npm run docs: builds the reference, and serves it until Ctrl-C. Exit codes: 0 fine, 2 wrong usage or broken input.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Before anything else is loaded; see server/main.ts.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
await import('./command-line.ts');
