import { expect, test } from 'vitest';
import { HarError, readHar } from './read-har.ts';

const request = { method: 'GET', url: 'http://host.example/v2/books', headers: [] };

const harOf = (...entries: readonly object[]): string =>
  JSON.stringify({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } });

const answered = (response: object, sent: object = {}) =>
  readHar('a.har', harOf({ request: { ...request, ...sent }, response: { status: 200, headers: [], ...response } }))[0];

const answerOf = (response: object, sent: object = {}) => answered(response, sent)?.answer;

test.each([
  ['text that is not JSON', '<html>', /^a\.har is not JSON: .+\.$/],
  ['a file without entries', '{"openapi":"3.1.0"}', /^a\.har: log\/entries must be a list\. Give an HTTP Archive/],
  [
    'an entry without a method',
    harOf({ request: { url: 'http://host.example/' }, response: { status: 200 } }),
    'a.har is no HTTP Archive (HAR 1.2): log/entries/0/request/method must be a method, but is missing.',
  ],
  [
    'a path in place of an address',
    harOf({ request: { method: 'GET', url: '/books' }, response: { status: 200 } }),
    'a.har is no HTTP Archive (HAR 1.2): log/entries/0/request/url must be an absolute address, but is "/books".',
  ],
  [
    'a status as text',
    harOf({ request, response: { status: '200' } }),
    'a.har is no HTTP Archive (HAR 1.2): log/entries/0/response/status must be a number, but is "200".',
  ],
])('%s is refused with the member and the expected value', (_, text, message) => {
  expect(() => readHar('a.har', text)).toThrow(HarError);
  expect(() => readHar('a.har', text)).toThrow(message);
});

test('a byte order mark is accepted', () => {
  expect(readHar('a.har', `\ufeff${harOf()}`)).toEqual([]);
});

test.each([
  ['text', { content: { text: '{"a":1}', size: 7 } }, '{"a":1}'],
  ['base64', { content: { text: 'eyJhIjoxfQ==', encoding: 'base64', size: 7 } }, '{"a":1}'],
  ['no content', { status: 204, content: { size: -1, mimeType: 'x-unknown' } }, ''],
])('content as %s is read', (_, response, text) => {
  const answer = answerOf(response);
  expect(typeof answer === 'object' && [answer.body.toString(), answer.isCut]).toEqual([text, undefined]);
});

test.each([
  [
    'is not there',
    { content: { size: 12, mimeType: 'application/json' } },
    'the recording has no content of this answer',
  ],
  ['has no known size', { content: { size: -1 } }, 'the recording has no content of this answer'],
  ['is only a part', { content: { size: 12, text: '{"a":' } }, 'the recording has only a part of the content'],
  ['has a hidden value', { content: { text: '{"a":"***"}' } }, 'a value of the content is hidden in the recording'],
])('content that %s is not judged', (_, response, message) => {
  const answer = answerOf(response);
  expect(typeof answer === 'object' && answer.undecoded).toEqual({ isFault: false, message });
});

test.each([
  ['a cancelled request', { status: 0 }, {}, 'no answer is recorded: it may be cancelled'],
  ['a failed request', { status: 0, _error: 'net::ERR_FAILED' }, {}, 'no answer is recorded'],
  ['another protocol', { status: 101 }, {}, 'the connection became another protocol'],
  ['a cache', { status: 304 }, {}, 'the cache of the browser answered'],
])('the answer of %s is none', (_, response, sent, reason) => {
  expect(answerOf(response, sent)).toBe(reason);
});

test('pseudo-headers are left out, joined fields are split, and hidden values are named', () => {
  const headers = [
    { name: ':status', value: '200' },
    { name: 'Set-Cookie', value: 'a=1\nb=2' },
    { name: 'X-Key', value: '[REDACTED]' },
  ];
  const answer = answerOf({ headers });
  expect(typeof answer === 'object' && [answer.headers, answer.hidden]).toEqual([
    [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-key', '[REDACTED]'],
    ],
    ['x-key'],
  ]);
});

test.each([
  ['text', { postData: { mimeType: 'application/json', text: '{}' }, bodySize: 2 }, '{}'],
  ['base64 of this runner', { postData: { mimeType: 'x/y', text: 'e30=', _encoding: 'base64' }, bodySize: 2 }, '{}'],
  [
    'parameters of a form',
    {
      postData: { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a b', value: '1&2' }] },
      bodySize: 9,
    },
    'a+b=1%262',
  ],
  ['nothing', { bodySize: 0 }, undefined],
  ['a size alone', { bodySize: 12 }, 'lost'],
  ['parts of a file upload', { postData: { mimeType: 'multipart/form-data', params: [{ name: 'f' }] } }, 'lost'],
])('the content of a request as %s', (_, sent, body) => {
  expect(answered({}, sent)?.body?.toString()).toBe(body);
});
