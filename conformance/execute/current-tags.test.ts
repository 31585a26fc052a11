import { describe, expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { createCurrentTags } from './current-tags.ts';
import type { Draft } from './exchange.ts';

// If these fail, writes that have to send If-Match are answered 412, and show nothing else.

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const condition = { name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } };
const responses = { 200: { description: 'OK' } };
const contract = contractOf({
  '/books/{id}': {
    get: { operationId: 'get', parameters: [id], responses },
    put: { operationId: 'put', parameters: [id, condition], responses },
  },
});
const put = contract.operations.find((one) => one.id === 'put');

function draftOf(book: string, tag: string): Draft {
  if (put === undefined) throw new Error('no operation');
  const parameters = put.parameters.map((parameter) => ({ parameter, value: parameter.in === 'path' ? book : tag }));
  return { operation: put, parameters, body: undefined, label: '' };
}

const answer = (operation: string, book: string, etag?: string, status = 200) =>
  exchangeOf(contract, {
    ...{ operation, status, request: { path: `/books/${book}?view=full` } },
    headers: etag === undefined ? {} : { etag },
  });

const tagIn = ({ parameters }: Draft): unknown => parameters.find(({ parameter }) => parameter.in === 'header')?.value;

describe('a write sends the present tag of its object in If-Match', () => {
  test.each([
    { name: 'read in this turn', answers: [answer('get', 'b1', '"2"')], want: '"2"' },
    {
      name: 'in the answer to a change',
      answers: [answer('get', 'b1', '"2"'), answer('put', 'b1', '"3"')],
      want: '"3"',
    },
    { name: 'that of another object', answers: [answer('get', 'b2', '"2"')], want: '"1"' },
    { name: 'in a rejection', answers: [answer('put', 'b1', '"9"', 412)], want: '"1"' },
    {
      name: 'before a change that shows none',
      answers: [answer('get', 'b1', '"2"'), answer('put', 'b1')],
      want: '"1"',
    },
  ])('$name', ({ answers, want }) => {
    const turn = createCurrentTags(contract).open();
    for (const one of answers) turn.observe(one);
    expect(tagIn(turn.update(draftOf('b1', '"1"')))).toBe(want);
  });

  test('another turn knows it from the next round on', () => {
    const tags = createCurrentTags(contract);
    const [reader, writer] = [tags.open(), tags.open()];
    reader.observe(answer('get', 'b1', '"2"'));
    expect(tagIn(writer.update(draftOf('b1', '"1"')))).toBe('"1"');
    tags.beginRound();
    expect(tagIn(writer.update(draftOf('b1', '"1"')))).toBe('"2"');
  });
});
