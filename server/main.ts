#!/usr/bin/env node
import { startProcess } from '@lockstep/shell/start-process';
import { listenForHangUp } from './hang-up.ts';

startProcess('lockstep-server', import.meta);
listenForHangUp(process.argv.slice(2));
const { runProgram } = await import('./commands/program.ts');
await runProgram(process.argv.slice(2), process);
