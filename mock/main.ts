#!/usr/bin/env node
import { startProcess } from '@lockstep/shell/start-process';

startProcess('lockstep-mock', import.meta);
const { serveSandbox } = await import('./sandbox/command-line.ts');
process.exit(await serveSandbox(process.argv.slice(2), { out: process.stdout, error: process.stderr }));
