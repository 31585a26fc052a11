#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { conform } = await import('./command-line.ts');
process.exitCode = await conform(process.argv.slice(2), 'lockstep-conform');
