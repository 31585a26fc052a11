import { describe, expect, test } from 'vitest';
import { checkStartOptions, readStart } from './start-options.ts';

describe('options of startMock', () => {
  const contract = { document: {}, operations: {} };

  test.each<{ options: unknown; message: string }>([
    { options: { scenaro: 'empty' }, message: 'startMock: the option scenaro is not known, did you mean scenario?' },
    { options: { clok: 0 }, message: 'startMock: the option clok is not known, did you mean clock?' },
    { options: { constructor: 1 }, message: 'startMock: the option constructor is not known' },
    { options: { port: 'abc' }, message: 'startMock: port must be a number from 0 to 65535, not "abc"' },
    { options: { port: '8090' }, message: 'port must be a number from 0 to 65535, not "8090"' },
    { options: { port: 70_000 }, message: 'port must be a number from 0 to 65535, not 70000' },
    { options: { port: 1.5 }, message: 'port must be a number' },
    { options: { port: null }, message: 'port must be a number from 0 to 65535, not null' },
    { options: { host: 0 }, message: 'host must be an address of this machine as text, not 0' },
    {
      options: { logLevel: 'loud' },
      message: 'logLevel must be fatal, error, warn, info, debug, trace or silent, not "loud"',
    },
    {
      options: { loopbackCallbacks: 'http://localhost/' },
      message: 'loopbackCallbacks must be a list of addresses, not "http',
    },
    { options: { isControlOpen: 'false' }, message: 'isControlOpen must be true or false, not "false"' },
    { options: { contract: './service.yaml' }, message: 'contract must be { document, operations }' },
    {
      options: { contract: { document: {} } },
      message: 'for a file, use lockstep mock --contract FILE, not an object',
    },
    { options: { contract, scenario: 'demo' }, message: 'startMock with a contract: the option scenario is not known' },
    { options: { contract, seed: -1 }, message: 'startMock: seed must be a whole number from 0, not -1' },
    { options: { contract, worlds: 1.5 }, message: 'startMock: worlds must be a whole number from 0, not 1.5' },
    { options: { contract, control: 'no' }, message: 'startMock: control must be true or false, not "no"' },
    { options: { worlds: -3 }, message: 'startMock: worlds must be a whole number from 0, not -3' },
    {
      options: { scenario: 5 },
      message: 'scenario must be a name, an import file as parsed JSON, or a list of them, not 5',
    },
    { options: 'demo', message: 'startMock: options must be an object, not "demo"' },
    { options: [], message: 'startMock: options must be an object, not a list' },
    { options: null, message: 'startMock: options must be an object, not null' },
  ])('$options: $message', ({ options, message }) => {
    expect(() => checkStartOptions(options)).toThrow(message);
  });

  test.each([
    {},
    { port: undefined, host: undefined },
    { port: 0, logLevel: 'info' },
    { contract, port: 8090, seed: 0, worlds: 5, control: false },
  ])('%j pass', (options) => {
    expect(() => checkStartOptions(options)).not.toThrow();
  });

  test('a clock that is an object is reported without its content', () => {
    expect(() => readStart({ now: '2026' } as never)).toThrow(/^clock an object is not a valid time/);
  });
});
