import { expect, test } from 'vitest';
import { mayInclude } from './access.ts';

test.each([
  ['https://www.googleapis.com/auth/drive', 'https://www.googleapis.com/auth/drive.readonly', true],
  ['user', 'read:user', true],
  ['repo', 'public_repo', true],
  ['admin', 'items:read', true],
  ['items:write', 'items:read', true],
  ['items:read', 'items:write', false],
  ['parcels:read', 'items:read', false],
  ['read:user', 'user', false],
])('%s may include %s: %s', (scope, needed, expected) => {
  expect(mayInclude(scope, [needed])).toBe(expected);
});
