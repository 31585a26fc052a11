#!/usr/bin/env node
import { startProcess } from '@lockstep/shell/start-process';

// Before anything else is loaded: the TypeScript compiler behind `generate` is 9 MB of source.
startProcess('lockstep', import.meta);
const { lockstep } = await import('./command-line.ts');
process.exitCode = await lockstep(process.argv.slice(2), { out: process.stdout, error: process.stderr });
