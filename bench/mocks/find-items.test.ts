import { expect, test } from 'vitest';
import { readContract } from '../../conformance/contract/read-contract.ts';
import { createJudge } from '../../conformance/schema/create-judge.ts';
import { isJsonPatch } from './change-items.ts';
import { canIdentify, findList, idsIn, itemsIn, listOfOne, successSchema } from './find-items.ts';
import { createsByPut, findPairs, mayCreateByPut } from './find-pairs.ts';
import { createMaker } from './make-values.ts';
import { differences } from './shared-members.ts';
import { createItem, Walk } from './walk.ts';
import { isCollection } from './walk-contract.ts';
import { judgePages } from './walk-lists.ts';

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });
const listOf = (properties: object) => ({ type: 'array', items: object(properties) });
const shows = (schema: object, mediaType = 'application/json') => ({
  responses: { 200: { description: 'Fine', content: { [mediaType]: { schema } } } },
});
const sends = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } });
const messages = { messages: listOf({ id: text, description: text }) };

function readPair(collection: object, item: object, path = '/files/{fileId}', schema: object = text) {
  const parameters = [{ name: 'fileId', in: 'path', required: true, schema }];
  const paths = { '/files': collection, [path]: { parameters, ...item } };
  const info = { title: 'Files', version: '1' };
  const contract = readContract('files.json', JSON.stringify({ openapi: '3.1.0', info, paths }));
  const [pair] = findPairs(contract);
  const judge = createJudge(contract);
  return { pair, judge, form: judge.forms.response, maker: createMaker(contract, judge) };
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
  {
    name: 'nowhere, if none of several shares a member with the item',
    read: shows(text, 'application/pdf'),
    list: object({ docs: listOf({}), shown: listOf({ size: text }) }),
    want: undefined,
  },
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
  [listOf({}), false],
  [{ type: 'array', items: text }, true],
])('whether the list %j, without a create, leads to its items: %s', (list, want) => {
  const { pair, form } = readPair({ get: shows(list) }, { get: shows(object({ size: text })) });
  expect(pair && canIdentify(form, pair)).toBe(want);
});

test('a list that requires ids leads to no item', () => {
  const parameters = [{ name: 'ids', in: 'query', required: true, schema: text }];
  const { pair, form } = readPair({ get: { parameters, ...shows(listOf({ id: text })) } }, { get: shows(text) });
  expect(pair && canIdentify(form, pair)).toBe(false);
});

test.each([[listOf({})], [{ type: 'array', items: {} }]])(
  'the items of the list %j have no described member: a path that is only read has none',
  (list) => {
    const { pair, form } = readPair({ get: shows(list) }, { get: shows(object({ size: text })) });
    expect(pair && isCollection(form, pair)).toBe(false);
  },
);

test.each([
  [[200], true],
  [[200, 404], false],
])('whether a PUT with the answers %j may create an item that no POST creates: %s', (statuses, want) => {
  const responses = Object.fromEntries(statuses.map((status) => [status, { description: 'An answer' }]));
  const { pair } = readPair({ get: shows(listOf({ id: text })) }, { put: { ...sends(object({})), responses } });
  expect(pair && mayCreateByPut(pair)).toBe(want);
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

test.each([
  [{ name: text }, false],
  [{ listing_id: text, about: object({ id: text }) }, false],
  [{ file: object({ id: text }) }, true],
])('whether a create that sends %j, and answers nothing, leads to its item: %s', (sent, want) => {
  const post = { ...sends(object(sent)), responses: { 201: { description: 'Created' } } };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: text }];
  const { pair, form } = readPair({ post }, { parameters, get: shows(text, 'image/png') }, '/files/{id}');
  expect(pair && canIdentify(form, pair)).toBe(want);
});

test('of several ids in an answer, that of the object with the name of the collection is the likeliest', () => {
  const { pair, maker } = readPair({ post: shows(object({})) }, { get: shows(object({})) });
  const values = pair && idsIn(pair, maker, { action: { id: 'a' }, file: { id: 'f' } }).map(({ value }) => value);
  expect(values).toEqual(['f', 'a']);
});

test.each([
  [listOf({ title: text }), ''],
  [object({ data: listOf({ title: text }) }), 'data'],
  [object({ id: text, data: listOf({ title: text }) }), undefined],
  [object({ parts: listOf({ title: text }) }), undefined],
])('the item alone in a list of the answer %j is at %s', (answer, want) => {
  const { pair, form } = readPair({ get: shows(listOf({ title: text })) }, { get: shows(answer), delete: shows(text) });
  expect(pair && listOfOne(form, pair)?.path.join('/')).toBe(want);
});

test('an answer with the members of that of the list has the item alone in the same list', () => {
  const files = object({ files: listOf({ title: text }), meta: object({ name: text }) });
  const { pair, form } = readPair({ get: shows(files) }, { get: shows(files) });
  expect(pair && listOfOne(form, pair)?.path).toEqual(['files']);
});

test.each([
  [{ meta: { page: 1 }, title: 'a' }, []],
  [{ clientId: 'a', client_id: 'b', title: 'a' }, []],
  [{ ClientId: 'a', title: 'a' }, ['/ClientId is "b", sent "a"']],
])('the sent value %j and the answer have the differences %j', (sent, want) => {
  const answer = object({ title: text, client_id: text, meta: object({ count: text }) });
  const { pair, form } = readPair({ get: shows(listOf({})) }, { get: shows(answer) });
  const schema = successSchema(pair?.read) ?? '';
  expect(differences(form, [form.at(schema)], sent, { title: 'a', client_id: 'b' })).toEqual(want);
});

test.each([
  ['Return tag upsert', true],
  ['upsertTag', true],
  ['updateTag', false],
])('whether a PUT called %s creates an unknown item: %s', (operationId, want) => {
  const put = { operationId, ...sends(object({})), responses: { 200: { description: 'Fine' } } };
  const { pair } = readPair({ get: shows(listOf({ id: text })) }, { put });
  expect(pair?.replace && createsByPut(pair.replace, pair.noun)).toBe(want);
});

test('an optional body is sent with no GET', () => {
  const { pair, maker } = readPair({ get: shows(listOf({ id: text })) }, { get: { ...sends(text), ...shows(text) } });
  expect(pair?.read && maker.body(pair.read, 1, new Map())).toBe('none');
});

test('a form is sent without an object that has no member', () => {
  const isEmpty = { ...object({ address: object({}) }), required: ['address'] };
  const form = { 'application/x-www-form-urlencoded': { schema: object({ name: text, shipping: isEmpty }) } };
  const post = { requestBody: { content: form }, ...shows(object({ id: text })) };
  const { pair, maker } = readPair({ post }, { get: shows(object({ id: text })) });
  const body = pair?.create && maker.body(pair.create, 1, new Map());
  expect(Object.keys(Object((body as { value?: unknown }).value))).toEqual(['name']);
});

test.each([
  [1, [], []],
  [1, ['data'], undefined],
  [0, [], undefined],
])(
  'a missing list of at least %s items, with the required members %j, has the items %j',
  (minItems, required, want) => {
    const list = { ...object({ data: { ...listOf({ id: text }), minItems } }), required };
    const { pair, form } = readPair({ get: shows(list) }, { get: shows(object({ id: text })) });
    const place = pair && findList(form, pair);
    expect(place && itemsIn({}, place)).toEqual(want);
  },
);

test('an operation that documents rejections alone belongs to no pair', () => {
  const rejects = { responses: { 403: { description: 'Forbidden' } } };
  const { pair } = readPair({ get: shows(listed) }, { get: shows(user), put: rejects });
  expect([pair?.list?.method, pair?.create, pair?.replace]).toEqual(['get', undefined, undefined]);
});

test('a body has the id of the path as a number, although it was shown as a text', () => {
  const body = object({ file: object({ fileId: { type: 'integer' } }) });
  const { pair, maker } = readPair({ get: shows(listed) }, { put: { ...sends(body), ...shows(user) } });
  const made = maker.body(pair?.replace as never, 1, new Map([['fileid', '-12']]));
  expect(made).toMatchObject({ value: { file: { fileId: -12 } } });
});

test('pages count from 1 where that is the default, also if 0 is allowed', async () => {
  const page = { name: 'page', in: 'query', required: true, schema: { type: 'integer', minimum: 0, default: 1 } };
  const list = { get: { parameters: [page], ...shows(listOf({ id: text })) } };
  const { pair, judge, form, maker } = readPair(list, { get: shows(object({ id: text })) });
  const send = async (_: unknown, { query = {} }: { readonly query?: Readonly<Record<string, unknown>> }) => ({
    ...{ operation: pair?.list, status: 200, headers: new Headers(), faults: [] },
    body: (query.page ?? 1) === 1 ? [{ id: 'a' }] : [],
  });
  const place = pair && findList(form, pair);
  const reader = { judge, maker, send };
  expect(await judgePages(reader as never, pair as never, [], place as never, [])).toEqual([]);
});

test('no sent id is one that the path rejects', async () => {
  const file = object({ fileId: { type: 'integer' } });
  const create = { post: { ...sends({ ...file, required: ['fileId'] }), ...shows(file) } };
  const key = { type: 'integer', minimum: 1 };
  const { pair, judge, maker } = readPair(create, { get: shows(file) }, '/files/{fileId}', key);
  const sent: number[] = [];
  const send = async (_: unknown, { body }: { readonly body: { readonly value: { readonly fileId: number } } }) => {
    sent.push(body.value.fileId);
    return { operation: pair?.create, status: 200, headers: new Headers(), body: body.value, faults: [] };
  };
  const walk = new Walk(judge, maker, { send } as never);
  for (let count = 0; count < 8; count += 1) await createItem(walk, pair as never, []);
  expect(sent.filter((id) => id < 1)).toEqual([]);
  expect(new Set(sent).size).toBe(8);
});
