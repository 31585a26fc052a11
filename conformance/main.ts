#!/usr/bin/env node
import module from 'node:module';

// The version is checked first: on an older Node the imports would fail with a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 18)) {
  process.stderr.write(`lockstep-conform needs Node 24.18 or later, this is ${process.version}.\n`);
  process.exit(2);
}

module.enableCompileCache();
// A closed pipe, as after `| head`, must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const { conform } = await import('./command-line.ts');
process.exitCode = await conform(process.argv.slice(2), 'lockstep-conform');
