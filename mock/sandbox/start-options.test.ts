import { describe, expect, test } from 'vitest';
import { checkStartOptions, readStart } from './start-options.ts';

describe('options of startMock', () => {
  const contract = { document: {}, operations: {} };

  test.each<{ options: unknown; says: string }>([
    { options: { scenaro: 'empty' }, says: 'startMock: the option scenaro is not known, did you mean scenario?' },
    { options: { clok: 0 }, says: 'startMock: the option clok is not known, did you mean clock?' },
    { options: { constructor: 1 }, says: 'startMock: the option constructor is not known' },
    { options: { port: 'abc' }, says: 'startMock: port takes a number from 0 to 65535, not "abc"' },
    { options: { port: '8090' }, says: 'port takes a number from 0 to 65535, not "8090"' },
    { options: { port: 70_000 }, says: 'port takes a number from 0 to 65535, not 70000' },
    { options: { port: 1.5 }, says: 'port takes a number' },
    { options: { port: null }, says: 'port takes a number from 0 to 65535, not null' },
    { options: { host: 0 }, says: 'host takes an address of this machine as text, not 0' },
    {
      options: { logLevel: 'loud' },
      says: 'logLevel takes fatal, error, warn, info, debug, trace or silent, not "loud"',
    },
    {
      options: { loopbackCallbacks: 'http://localhost/' },
      says: 'loopbackCallbacks takes a list of addresses, not "http',
    },
    { options: { isControlOpen: 'false' }, says: 'isControlOpen takes true or false, not "false"' },
    { options: { contract: './service.yaml' }, says: 'contract takes { document, operations }' },
    { options: { contract: { document: {} } }, says: 'there is lockstep mock --contract FILE, not an object' },
    { options: { contract, scenario: 'demo' }, says: 'startMock with a contract: the option scenario is not known' },
    {
      options: { scenario: 5 },
      says: 'scenario takes a name, an import file as parsed JSON, or a list of them, not 5',
    },
    { options: 'demo', says: 'startMock takes an object of options, not "demo"' },
    { options: [], says: 'startMock takes an object of options, not a list' },
    { options: null, says: 'startMock takes an object of options, not null' },
  ])('$options: $says', ({ options, says }) => {
    expect(() => checkStartOptions(options)).toThrow(says);
  });

  test.each([{}, { port: undefined, host: undefined }, { port: 0, logLevel: 'info' }, { contract, port: 8090 }])(
    '%j pass',
    (options) => {
      expect(() => checkStartOptions(options)).not.toThrow();
    },
  );

  test('a clock that is an object is told without what it holds', () => {
    expect(() => readStart({ now: '2026' } as never)).toThrow(/^clock an object is no time/);
  });
});
