#!/usr/bin/env node
import { startProcess } from '@lockstep/shell/start-process';

startProcess('lockstep-server', import.meta);
const { runProgram } = await import('./commands/program.ts');
await runProgram(process.argv.slice(2), process);
