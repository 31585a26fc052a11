import { expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { changedTexts, lossOf } from './text-changed.ts';

test.each<[string, string, string | undefined]>([
  ['Ünïcødé', '?n?c?d?', 'replaced'],
  ['Ünïcødé', 'Ünïcødé', undefined],
  ['漢字 a', '?? a', 'replaced'],
  ['漢字 a', '\ufffd\ufffd\ufffd a', 'replaced'],
  ['why? 漢', 'why? 漢', undefined],
  ['why? 漢', 'why? ?', 'replaced'],
  ['é', 'Ã©', 'misread'],
  ['€', 'â‚¬', 'misread'],
  ['€', 'â\u0082¬', 'misread'],
  ['a 😀 b', 'a ', 'dropped'],
  ['a 😀 b', 'a  b', 'dropped'],
  ['a\u0000b', 'a', 'dropped'],
  ['😀', '', 'dropped'],
  ['a\u200bb', 'ab', undefined],
  ['xxxx', 'xx', 'cut'],
  ['xx  ', 'xx', undefined],
  ['<b>"', '&lt;b&gt;&quot;', 'escaped'],
  ["O'Neil", String.raw`O\'Neil`, 'escaped'],
  ['a&amp;b', 'a&b', undefined],
  ['\x24{7*7}!', '49!', 'evaluated'],
  ['a%00b', 'a\u0000b', 'evaluated'],
  [' A  Ｂ ', 'a b', undefined],
  ['é', 'e\u0301', undefined],
  ['İSTANBUL', 'i̇stanbul', undefined],
  ['A title', 'a-title', undefined],
  ['secret', '******', undefined],
  ['new', 'old', undefined],
])('%j that comes back as %j: %s', (sent, read, loss) => {
  expect(lossOf(sent, read)).toBe(loss);
});

const string = { type: 'string' };
const book = { type: 'object', properties: { title: string, no: { type: ['string', 'null'] }, any: {} } };
const contract = contractOf({
  '/books': {
    post: {
      operationId: 'add',
      requestBody: { content: { 'application/json': { schema: book } } },
      responses: {
        201: { description: '', content: { 'application/json': { schema: book } } },
        202: {
          description: '',
          content: { 'application/json': { schema: { type: 'object', properties: { data: book } } } },
        },
      },
    },
  },
});

const texts = { title: '漢', no: '字', any: 'か' };
const lost = { title: '?', no: '?', any: '?' };

test.each([
  { name: 'the object itself', status: 201, body: lost, want: ['title', 'no'] },
  { name: 'an object around it', status: 202, body: { data: lost }, want: ['title', 'no'] },
  { name: 'an undeclared member', status: 201, body: { data: lost }, want: [] },
  { name: 'null', status: 201, body: { title: '?', no: null }, want: ['title'] },
  { name: 'a rejection', status: 400, body: lost, want: [] },
])('texts are compared with declared strings at the same place: $name', ({ status, body, want }) => {
  const headers = { 'content-type': 'application/json' };
  const exchange = exchangeOf(contract, { status, headers, body: JSON.stringify(body) });
  const sent = { ...exchange, seen: { ...exchange.seen, requestBody: texts } };
  expect(changedTexts(contextOf(contract), sent, sent).map(({ tokens }) => tokens.join('/'))).toEqual(want);
});
