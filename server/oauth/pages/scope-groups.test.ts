import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiScopes, openIdScopes } from '../scopes.ts';
import { contractScopes, groupScopes, scopeGroups } from './scope-groups.ts';

const names = Object.keys(contractScopes);

describe('the table of scopes', () => {
  test('has each scope of the contract in exactly one group', () => {
    expect(Object.values(scopeGroups).flat().toSorted()).toEqual(names.toSorted());
  });

  test('has exactly the scopes of a login', () => {
    expect(names.toSorted()).toEqual([...openIdScopes, ...apiScopes].toSorted());
  });
});

describe('groupScopes', () => {
  test('shows the gravest first, and omits groups that were not requested', () => {
    const asked = ['openid', 'serviceapi/get-devices', 'serviceapi/unlock-bridge-proxied-job', 'openid'];
    expect(groupScopes(asked)).toEqual([
      ['doors', ['serviceapi/unlock-bridge-proxied-job']],
      ['devices', ['serviceapi/get-devices']],
      ['person', ['openid']],
    ]);
  });

  test('shows unknown scopes at the end', () => {
    expect(groupScopes(['serviceapi/later', 'openid', 'constructor'])).toEqual([
      ['person', ['openid']],
      ['others', ['serviceapi/later', 'constructor']],
    ]);
  });

  test('contains each requested scope exactly once', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...names), fc.string())), (scopes) => {
        const shown = groupScopes(scopes).flatMap(([, members]) => members);
        expect(shown.toSorted()).toEqual([...new Set(scopes)].toSorted());
      }),
    );
  });
});
