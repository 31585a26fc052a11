import { expect, test } from 'vitest';
import type { ShownExchange } from '../failures/shown-exchange.ts';
import { evidenceOf, headlineOf } from './headline.ts';

// If these fail, a reader has to compare whole exchanges to learn what the server should have answered.

function exchange(role: string, more: Partial<ShownExchange> = {}, status = 200, etag?: string): ShownExchange {
  return {
    ...{ number: 1, operation: 'a', isJudged: role === 'case', role, identity: 'own', method: 'GET', path: '/a' },
    ...{ headers: [], curl: '', answer: { status, headers: etag === undefined ? [] : [['etag', etag]] } },
    ...more,
  };
}

const value = (line: string): Partial<ShownExchange> => ({
  answer: { status: 200, headers: [], body: { bytes: 1, lines: ['{', line, '}'], marked: [1, 1] } },
});

const headlines: readonly (readonly [string, string, string, ShownExchange, readonly unknown[] | undefined])[] = [
  [
    'put-partial',
    'kept',
    'pages was sent as 416 and accepted, and a read shows 412 as before',
    exchange('case'),
    ['416', '412', false],
  ],
  ['header-schema', 'minimum', 'X-Total: -1 must be >= 0', exchange('case'), ['>= 0', '-1', false]],
  [
    'put-repeat',
    'repeated',
    'the same PUT was sent again, and a read shows n as 2 in place of 1',
    exchange('case'),
    ['1', '2', false],
  ],
  ['write-spills', 'other', 'put has changed n of another object from 1 to 2', exchange('case'), ['1', '2', false]],
  [
    'status-undocumented',
    'responses',
    '418 is not documented; listed: 200, 404',
    exchange('case'),
    ['200, 404', '418', true],
  ],
  ['body-schema', 'type', 'must be integer', exchange('case', value('  "total": "3",')), ['integer', '"3"', false]],
  ['tenant-leak', 'security', 'object of another account', exchange('case'), ['403 or 404', '200', true]],
  [
    'tenant-leak',
    'security',
    'the deletion was answered 404, but the object is gone',
    exchange('case', {}, 404),
    undefined,
  ],
  ['conditional', 'lost-update', 'the later change is lost', exchange('case'), ['412', '200', true]],
  ['http-law', 'date', 'the Date is wrong', exchange('case'), undefined],
];

test.each(headlines)('%s %s: "%s"', (check, keyword, message, judged, want) => {
  const place = check === 'body-schema' ? 'response 200 body /total' : 'p';
  const found = headlineOf({ check, keyword, message, place, exchanges: [judged] });
  expect(found && [found.expected, found.got, found.isStatus]).toEqual(want);
});

test('the exchanges that a message names are open, and the compared tags are marked', () => {
  const given = { check: 'c', place: 'p' };
  const lists = ['case', 'unknown id', 'own list', 'second list', 'control'].map((role) => exchange(role));
  const isOpen = (message: string, exchanges: readonly ShownExchange[]) =>
    evidenceOf({ ...given, keyword: '', message, exchanges }).map((one) => one.isOpen);
  expect(isOpen('though its own list has no such object', lists)).toEqual([true, false, true, true, false]);
  const reads = ['read', 'case', 'read after', 'read'].map((role) => exchange(role));
  expect(isOpen('and a read shows 412', reads)).toEqual([false, true, true, false]);

  const write = exchange('case', { method: 'PUT', headers: [['If-Match', '"1"']] });
  const turn = [
    exchange('read', {}, 200, '"1"'),
    exchange('read', {}, 200, '"2"'),
    exchange('read', {}, 200, '"2"'),
    write,
  ];
  const evidence = evidenceOf({ ...given, keyword: 'lost-update', message: 'm', exchanges: turn });
  expect(evidence.map(({ isOpen, tags }) => [isOpen, tags])).toEqual([
    [true, ['etag']],
    [false, []],
    [true, ['etag']],
    [true, ['etag', 'If-Match']],
  ]);
});
