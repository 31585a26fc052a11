import { expect, test } from 'vitest';
import { readContract } from '../../conformance/contract/read-contract.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { isJsonPatch } from './change-items.ts';
import { canIdentify, findList } from './find-items.ts';
import { findPairs } from './find-pairs.ts';
import { isCollection } from './walk-contract.ts';

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });
const listOf = (properties: object) => ({ type: 'array', items: object(properties) });
const shows = (schema: object, mediaType = 'application/json') => ({
  responses: { 200: { description: 'Fine', content: { [mediaType]: { schema } } } },
});
const sends = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const messages = { messages: listOf({ id: text, description: text }) };

function readPair(collection: object, item: object) {
  const parameters = [{ name: 'fileId', in: 'path', required: true, schema: text }];
  const paths = { '/files': collection, '/files/{fileId}': { parameters, ...item } };
  const info = { title: 'Files', version: '1' };
  const contract = readContract('files.json', JSON.stringify({ openapi: '3.1.0', info, paths }));
  const [pair] = findPairs(contract);
  return { pair, form: createJudge(contract).forms.response };
}

const listed = object({ ...messages, _embedded: listOf({ title: text }) });
const user = object({ ...messages, content: object({ title: text, rights: listOf({ id: text }) }) });

test.each([
  { name: 'next to messages, by the body that creates an item', read: {}, list: listed, want: '_embedded' },
  {
    name: 'next to messages, by its usual name',
    read: shows(text, 'application/pdf'),
    list: listed,
    want: '_embedded',
  },
  { name: 'that an item repeats', read: shows(listed), list: listed, want: '_embedded' },
  { name: 'at the root', read: shows(object({ title: text })), list: listOf({ title: text }), want: '' },
  { name: 'nowhere, if the answer is one item', read: shows(user), list: user, want: undefined },
])('the list is found $name', ({ read, list, want }) => {
  const post = { ...sends(object({ title: text })), responses: { 200: { description: 'Fine' } } };
  const { pair, form } = readPair(
    { get: shows(list), post },
    { get: { responses: { 200: { description: 'A file' } }, ...read } },
  );
  expect(pair && findList(form, pair)?.path.join('/')).toBe(want);
});

test('an image is no list', () => {
  expect(readPair({ get: shows(text, 'image/png') }, { get: shows(text, 'image/png') }).pair).toBeUndefined();
});

test.each([
  [object(messages), false],
  [object({ id: text }), true],
  [object({ result: object({ fileId: text }) }), true],
  [object({}), true],
])('whether a create with the answer %j leads to its item: %s', (answer, want) => {
  const post = { ...sends(object({ data: text })), ...shows(answer) };
  const { pair, form } = readPair({ post }, { get: shows(text, 'image/png') });
  expect(pair && canIdentify(form, pair)).toBe(want);
});

test.each([
  [listOf({ size: text }), false],
  [listOf({ fileId: text }), true],
  [{ type: 'array', items: text }, true],
])('whether the list %j, without a create, leads to its items: %s', (list, want) => {
  const { pair, form } = readPair({ get: shows(list) }, { get: shows(object({ size: text })) });
  expect(pair && canIdentify(form, pair)).toBe(want);
});

test.each([
  [{}, false],
  [{ delete: { responses: { 204: { description: 'Gone' } } } }, true],
])('whether a path that answers a list, with the other operations %j, has items: %s', (others, want) => {
  const { pair, form } = readPair(
    { get: shows(listOf({ id: text })) },
    { get: shows(listOf({ id: text })), ...others },
  );
  expect(pair && isCollection(form, pair)).toBe(want);
});

test.each([
  ['application/json', [{ op: 'add', path: '/a', value: 1 }], true],
  ['application/json', [{ name: 'a' }], false],
  ['application/json-patch+json', [], true],
])('whether a %s body %j is a JSON Patch: %s', (mediaType, value, want) => {
  expect(isJsonPatch({ content: { mediaType, schema: undefined, examples: [] } as never, value })).toBe(want);
});
