import { describe, expect, test } from 'vitest';
import { readTarget } from './http-message.ts';
import { createRouteFinder, createRouter, type Placed } from './route-request.ts';
import { parseUrlEncoded } from './validation/parse-url-encoded.ts';

function declare(method: string, basePath: string, path: string): Placed {
  return { method, basePath, path };
}

const router = createRouter([
  declare('get', '/v1', '/rooms/{roomId}'),
  declare('put', '/v1', '/rooms/{roomId}'),
  declare('get', '/v1', '/rooms/free'),
  declare('get', '/v1', '/rooms'),
  declare('get', '/v1', '/rooms/{roomId}/keys/{keyId}'),
  declare('get', '/v1', '/plans/{planId}.json'),
  declare('post', '/v1', '/plans/{planId}:print'),
  declare('get', '/v1', '/grid/{x},{y}'),
  declare('get', '/v1', '/maps/{latitude}.{format}'),
  declare('get', '/v1', '/a+b/(c)*/$d/{id}.[e]+'),
  declare('get', '', '/'),
  declare('get', '/auth', '/.well-known/keys.json'),
  declare('get', '', '/the east wing/höfe'),
  declare('get', '', '/1+1;a=b/100%25/{x}|{y}'),
  declare('get', '', '/part[1]'),
]);

const alike = createRouter([
  declare('get', '', '/pets/{petId}'),
  declare('put', '', '/pets/{name}'),
  declare('get', '', '/pets/{name}'),
  declare('post', '', '/#Action=Start'),
  declare('post', '', '/#Action=Stop'),
  declare('get', '', '/files?kind=new&page={page}'),
  declare('get', '', '/files'),
  declare('get', '', '/a+b/(c)/{from}.{to}'),
]);

const apart = [
  { name: 'the method', given: ['put', '/pets/7', ''], want: ['/pets/{name}', { name: '7' }] },
  { name: 'the order of the contract', given: ['get', '/pets/7', ''], want: ['/pets/{petId}', { petId: '7' }] },
  { name: 'a pair behind #', given: ['post', '/', 'Action=Stop&x=1'], want: ['/#Action=Stop', {}] },
  { name: 'the first, where no pair is sent', given: ['post', '/', ''], want: ['/#Action=Start', {}] },
  { name: 'a pair behind ?', given: ['get', '/files', 'page=2&kind=new'], want: ['/files?kind=new&page={page}', {}] },
  { name: 'no pair', given: ['get', '/files', 'kind=old'], want: ['/files', {}] },
  {
    name: 'characters as they are',
    given: ['get', '/a+b/(c)/1.2', ''],
    want: ['/a+b/(c)/{from}.{to}', { from: '1', to: '2' }],
  },
] as const;

describe('of templates that are alike one is found by', () => {
  for (const { name, given, want } of apart) {
    test(name, () => {
      const [method, path, query] = given;
      const match = alike.match(path, method, parseUrlEncoded(query));
      expect([match?.route.template, Object.fromEntries(match?.rawPathValues ?? [])]).toEqual(want);
    });
  }

  test('no way if another has its method: that is reported', () => {
    expect(alike.unreachable).toEqual([declare('get', '', '/pets/{name}')]);
    expect(router.unreachable).toEqual([]);
  });
});

const found = [
  { name: 'a literal path', given: '/v1/rooms', want: ['/v1/rooms', {}] },
  { name: 'a literal before a template', given: '/v1/rooms/free', want: ['/v1/rooms/free', {}] },
  { name: 'a template', given: '/v1/rooms/r1', want: ['/v1/rooms/{roomId}', { roomId: 'r1' }] },
  {
    name: 'two templates',
    given: '/v1/rooms/r1/keys/k1',
    want: ['/v1/rooms/{roomId}/keys/{keyId}', { roomId: 'r1', keyId: 'k1' }],
  },
  {
    name: 'a value as it was sent, broken escapes too',
    given: '/v1/rooms/%ZZ',
    want: ['/v1/rooms/{roomId}', { roomId: '%ZZ' }],
  },
  {
    name: 'an escaped slash inside a value',
    given: '/v1/rooms/a%2Fb',
    want: ['/v1/rooms/{roomId}', { roomId: 'a%2Fb' }],
  },
  {
    name: 'a name of every object',
    given: '/v1/rooms/__proto__',
    want: ['/v1/rooms/{roomId}', { roomId: '__proto__' }],
  },
  {
    name: 'an ending after a value',
    given: '/v1/plans/p.1.json',
    want: ['/v1/plans/{planId}.json', { planId: 'p.1' }],
  },
  { name: 'a verb after a value', given: '/v1/plans/p1:print', want: ['/v1/plans/{planId}:print', { planId: 'p1' }] },
  {
    name: 'a value before an extension',
    given: '/v1/maps/49.5.json',
    want: ['/v1/maps/{latitude}.{format}', { latitude: '49.5', format: 'json' }],
  },
  { name: 'two values in one segment', given: '/v1/grid/3,4', want: ['/v1/grid/{x},{y}', { x: '3', y: '4' }] },
  {
    name: 'characters of regular expressions as themselves',
    given: '/v1/a+b/(c)*/$d/1.[e]+',
    want: ['/v1/a+b/(c)*/$d/{id}.[e]+', { id: '1' }],
  },
  {
    name: 'what no address may hold, escaped',
    given: '/the%20east%20wing/h%C3%B6fe',
    want: ['/the east wing/höfe', {}],
  },
  {
    name: 'escapes that are written out, and what needs none, as they are',
    given: '/1+1;a=b/100%25/3|4',
    want: ['/1+1;a=b/100%25/{x}|{y}', { x: '3', y: '4' }],
  },
  {
    name: 'a bar next to values, escaped',
    given: '/1+1;a=b/100%25/3%7C4',
    want: ['/1+1;a=b/100%25/{x}|{y}', { x: '3', y: '4' }],
  },
  { name: 'brackets, escaped', given: '/part%5B1%5D', want: ['/part[1]', {}] },
  { name: 'brackets, as some clients send them', given: '/part[1]', want: ['/part[1]', {}] },
  { name: 'the root', given: '/', want: ['/', {}] },
  { name: 'a dot as itself', given: '/auth/.well-known/keys.json', want: ['/auth/.well-known/keys.json', {}] },
];

const unknown = [
  '/v1/aab/c/d/1.e',
  '/v1/rooms/',
  '/v1/rooms//keys/k1',
  '/v1/rooms/r1/keys/',
  '/v1//rooms',
  '/v1/Rooms',
  '/rooms',
  '/v1',
  '/v1/r%6Foms',
  '/v1/plans/p1.xml',
  '/auth/Xwell-known/keys.json',
  '*',
  '',
];

describe('a router', () => {
  for (const { name, given, want } of found) {
    test(`finds ${name}`, () => {
      const match = router.match(given);
      expect([match?.route.template, Object.fromEntries(match?.rawPathValues ?? [])]).toEqual(want);
    });
  }

  for (const path of unknown) {
    test(`knows no path ${JSON.stringify(path)}`, () => expect(router.match(path)).toBeUndefined());
  }

  test('tries no place of many values in one segment with each of another', () => {
    const names = Array.from({ length: 40 }, (_, index) => `{v${index}}`);
    const { match } = createRouter([declare('get', '', `/${names.join('-')}.x`)]);
    expect(match(`/${'-'.repeat(10_000)}`)).toBeUndefined();
    expect(match(`/${names.map(() => 'a').join('-')}.x`)?.rawPathValues.get('v39')).toBe('a');
  });

  test('keeps the methods of a literal path apart from those of the template next to it', () => {
    expect(createRouteFinder(router)('OPTIONS', '/v1/rooms/free')).toEqual({
      kind: 'options',
      allow: 'GET, HEAD, OPTIONS',
    });
  });
});

const targets = [
  { name: 'a path alone', given: '/a/b', want: { path: '/a/b', queryText: '' } },
  { name: 'a query', given: '/a?b=c?d', want: { path: '/a', queryText: 'b=c?d' } },
  { name: 'a fragment, dropped', given: '/a?b=c#d', want: { path: '/a', queryText: 'b=c' } },
  { name: 'the form a proxy sends', given: 'http://host:1/a?b', want: { path: '/a', queryText: 'b' } },
  { name: 'a host without path', given: 'http://host', want: { path: '/', queryText: '' } },
  { name: 'dots and slashes as they are', given: '//a/../b', want: { path: '//a/../b', queryText: '' } },
];

describe('a request target', () => {
  for (const { name, given, want } of targets) {
    test(`is split: ${name}`, () => expect(readTarget(given)).toEqual(want));
  }
});
