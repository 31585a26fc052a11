import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { ConfigError } from '../config.ts';
import { PortFault } from '../demo/choose-port.ts';
import { DemoKeyMismatch } from '../demo/seed-demo.ts';
import { KeyFileFault } from '../key-file.ts';
import { StoreUnavailable } from '../store/store.ts';
import { describeFailure } from './describe-failure.ts';

const bug = new TypeError('x is undefined');

test.each([
  { error: new KeyFileFault('No key file.'), text: 'No key file.', more: {} },
  {
    error: new KeyFileFault('No key file.', { fixes: [{ message: 'Close it', command: ['chmod', '600', 'a b'] }] }),
    text: "No key file.\nClose it: chmod 600 'a b'",
    more: { fixes: ["chmod 600 'a b'"] },
  },
  { error: new PortFault('No port.'), text: 'No port.', more: {} },
  { error: new DemoKeyMismatch('Other keys.'), text: 'Other keys.', more: {} },
  { error: new StoreUnavailable('No database.'), text: 'No database.', more: {} },
  { error: new ConfigError(['PORT', 'HOST']), text: 'PORT\nHOST', more: { faults: ['PORT', 'HOST'] } },
  { error: new CommanderError(1, 'commander.unknown', 'error: unknown'), text: 'unknown', more: {} },
  { error: Object.assign(new Error('EACCES: no'), { code: 'EACCES' }), text: 'EACCES: no', more: {} },
  {
    error: Object.assign(new Error('Taken.'), { code: 'EADDRINUSE' }),
    text: 'Taken.\nStop the program that listens there, or choose another port: PORT=8081',
    more: {},
  },
  { error: bug, text: String(bug.stack), more: {} },
])('describes $error by its message and fix, and a bug by its stack', ({ error, text, more }) => {
  expect(describeFailure(error)).toEqual({ kind: 'refused', text, json: { error: text, ...more } });
});
