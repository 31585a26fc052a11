// npm run docs: builds the reference, and serves it until Ctrl-C. Exit codes: 0 fine, 2 wrong usage or broken input.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Before anything else is loaded; see server/main.ts.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
// Lines that nobody reads any more are no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const { docs } = await import('./command-line.ts');
process.exitCode = await docs(process.argv.slice(2), {
  out: process.stdout,
  error: process.stderr,
  stopping: stop.signal,
});
