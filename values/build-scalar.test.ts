import { expect, test } from 'vitest';
import { buildNumber } from './build-scalar.ts';
import { createCanonicalForm } from './canonical-form.ts';

test.each([
  [undefined, 1.5],
  ['double', 1.5],
  ['int32', 2],
  ['int64', 2],
  ['integer', 2],
])('the second number of the format %s is %d', (format, second) => {
  const form = createCanonicalForm({ leavesOut: 'writeOnly', resolve: () => undefined });
  const shape = form.branch(form.join({ type: 'number', ...(format && { format }) }));
  expect(buildNumber(shape, 1)).toBe(second);
});
