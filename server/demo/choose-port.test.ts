import { expect, test } from 'vitest';
import { choosePort, PortFault } from './choose-port.ts';

const cases = [
  { name: 'nothing', given: {}, want: 8080 },
  { name: 'an option', given: { '--port': '81', PORT: '82' }, want: 81 },
  { name: 'a variable', given: { '--port': undefined, PORT: '82' }, want: 82 },
  { name: 'an empty variable, as if there were none', given: { '--port': undefined, PORT: '' }, want: 8080 },
  { name: 'the lowest', given: { PORT: '0' }, want: 0 },
  { name: 'the highest', given: { PORT: '65535' }, want: 65_535 },
  { name: 'one too high', given: { PORT: '65536' }, says: 'PORT is 65536: a port is a number from 0 to 65535.' },
  { name: 'a word', given: { '--port': 'x', PORT: '1' }, says: '--port is x: a port is a number from 0 to 65535.' },
  { name: 'a space', given: { PORT: ' ' }, says: 'PORT is  : a port is a number from 0 to 65535.' },
];

test.each(cases)('reads $name', ({ given, want, says }) => {
  if (says === undefined) expect(choosePort(given, 8080)).toBe(want);
  else expect(() => choosePort(given, 8080)).toThrow(new PortFault(says));
});
