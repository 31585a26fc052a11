import { expect, test } from 'vitest';
import { formatResult } from './format-result.ts';

test('prints every row, every ratio, the versions and the machine', () => {
  const text = formatResult({
    asks: 'How long?',
    rows: [
      { name: 'ours', milliseconds: [12, 10, 11] },
      { name: 'the peer', milliseconds: [20, 21, 22] },
    ],
    ratios: [
      { name: 'warm', ratio: 0.5238, target: 0.7 },
      { name: 'first run', ratio: 0.9 },
    ],
    versions: { peer: '7.13.0', other: '2.77.0' },
    machine: '2 x Processor, Node 24.21.0, linux x64',
  });
  expect(text).toBe(`  ours           11 ms  (12 10 11)
  the peer       21 ms  (20 21 22)
  warm       ratio 0.52, target at most 0.70
  first run  ratio 0.90
  peer 7.13.0, other 2.77.0
  2 x Processor, Node 24.21.0, linux x64
`);
});
