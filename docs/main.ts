// npm run docs: builds the reference, and serves it until Ctrl-C. Exit codes: 0 fine, 2 wrong usage or broken input.
import { startProcess } from '@lockstep/shell/start-process';

startProcess('docs', import.meta);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const { docs } = await import('./command-line.ts');
process.exitCode = await docs(process.argv.slice(2), {
  out: process.stdout,
  error: process.stderr,
  stopping: stop.signal,
});
