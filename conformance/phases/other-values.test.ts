import { expect, test } from 'vitest';
import type { Draft } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { withFreshTexts, withOptional, withOtherValues } from './other-values.ts';
import { withNewNames } from './own-objects.ts';
import { moveTo } from './request-objects.ts';
import { placesOf } from './text-places.ts';

const text = { type: 'string', maxLength: 60 };
const schema = { type: 'object', properties: { name: text, fileName: text, note: text } };
const inPath = { name: 'name', in: 'path', required: true, schema: text };
const write = { requestBody: { content: { 'application/json': { schema } } }, responses: {} };

test.each([
  { name: 'a PUT to an item', method: 'put', path: '/hats/{name}', want: ['fileName', 'note'] },
  { name: 'a PATCH of an item', method: 'patch', path: '/hats/{hat}/bands/{file_name}', want: ['name', 'note'] },
  { name: 'a PUT beneath an item', method: 'put', path: '/hats/{name}/band', want: ['name', 'fileName', 'note'] },
  { name: 'a create beneath an item', method: 'post', path: '/hats/{name}/bands', want: ['name', 'fileName', 'note'] },
])('$name with other values has $want changed', ({ method, path, want }) => {
  const contract = contractOf({ [path]: { [method]: write } });
  const context = contextOf(contract);
  const [operation] = contract.operations;
  const content = operation?.body?.contents[0];
  if (operation === undefined || content === undefined) throw new Error('no content');
  const tools = toolsFor(context, operation, 'story', 0);
  const value = { name: 'fez', fileName: 'fez', note: 'fez' };
  const draft = { operation, parameters: [], body: { content, value }, label: '' };
  const changedIn = ({ body }: Draft): readonly string[] =>
    Object.entries(Object(body?.value)).flatMap(([name, own]) => (own === 'fez' ? [] : [name]));
  const others = [
    withOtherValues(context, tools, draft, 3),
    withOtherValues(context, tools, draft, 3, 'large'),
    withFreshTexts(context, tools, draft, 3),
  ];
  expect(others.map(changedIn)).toEqual([want, want, want]);
  // A note needs no name of its own.
  expect(changedIn(withNewNames(tools, draft, 3))).toEqual(want.filter((member) => member !== 'note'));
  const added = withOptional(context, tools, { ...draft, body: { content, value: {} } });
  expect(Object.keys(Object(added.body?.value))).toEqual(want);
});

test('only the outermost member of a content may name the item at its path', () => {
  const maker = { type: 'object', properties: { name: text } };
  const whole = { ...schema, properties: { name: text, maker } };
  const requestBody = { content: { 'application/json': { schema: whole } } };
  const parameters = [inPath, { name: 'name', in: 'query', schema: text }];
  const contract = contractOf({ '/hats/{name}': { put: { parameters, requestBody, responses: {} } } });
  const context = contextOf(contract);
  const [operation] = contract.operations;
  const content = operation?.body?.contents[0];
  const [parameter] = operation?.parameters ?? [];
  if (operation === undefined || content === undefined || parameter === undefined) throw new Error('no content');
  const value = { name: 'fez', maker: { name: 'fez' } };
  const draft = { operation, parameters: [{ parameter, value: 'fez' }], body: { content, value }, label: '' };
  expect(placesOf(context, draft).map(({ key }) => key)).toEqual(['query name', 'body /maker/name']);
  const other = withOtherValues(context, toolsFor(context, operation, 'story', 0), draft, 3, 'large');
  expect(other.body?.value).toEqual({ name: 'fez', maker: { name: expect.not.stringMatching(/^fez$/) } });
});

test.each([
  { content: { name: 'fez', note: 'fez' }, want: { name: 'bowler', note: 'fez' } },
  { content: { name: 7 }, want: { name: 7 } },
  { content: ['fez'], want: ['fez'] },
])('$content names another item after a move to it: $want', ({ content: value, want }) => {
  const contract = contractOf({ '/hats/{name}': { parameters: [inPath], put: write } });
  const [operation] = contract.operations;
  const content = operation?.body?.contents[0];
  const [parameter] = operation?.parameters ?? [];
  if (operation === undefined || content === undefined || parameter === undefined) throw new Error('no content');
  const draft = { operation, parameters: [{ parameter, value: 'fez' }], body: { content, value }, label: '' };
  const moved = moveTo(draft, ['bowler']);
  expect(moved.parameters).toEqual([{ parameter, value: 'bowler' }]);
  expect(moved.body?.value).toEqual(want);
});
