import { describe, expect, test } from 'vitest';
import { contractOf, rejectionOf } from '../seeded/by-hand.ts';
import { type Constraints, noConstraints } from './constraints.ts';
import { inferConstraints } from './infer-constraints.ts';
import { readRejection } from './read-rejection.ts';

const schema = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: ['TEXT', 'CHAT', 'KIND_UNSPECIFIED'] }, result: { type: 'object' } },
};
const content = { 'application/json': { schema } };
const contract = contractOf({ '/prompts': { post: { requestBody: { content }, responses: {} } } });

function infer(rejection: unknown, kind = 'TEXT', known = noConstraints): Constraints {
  const exchange = rejectionOf(contract, rejection, { requestBody: { kind } });
  return inferConstraints(contract, exchange, readRejection(contract, exchange), known).constraints;
}

describe('a sentence outside of all dialects requires', () => {
  test.each([
    ['the value that it names', 'Only CHAT templates are supported', ['CHAT']],
    ['another than the one that was sent', 'TEXT is not implemented', ['CHAT', 'KIND_UNSPECIFIED']],
    ['another where one does not fit the rest', 'Kind does not match result', ['CHAT', 'KIND_UNSPECIFIED']],
    ['nothing, where it names none', 'the text is too long', undefined],
  ])('%s', (_, message, want) => {
    expect(infer(message).get('body /kind')?.keywords.enum).toEqual(want);
  });

  test('another value, which was not rejected before', () => {
    const first = infer('TEXT is not implemented');
    const second = infer('CHAT is not implemented', 'CHAT', first);
    expect(second.get('body /kind')?.keywords).toEqual({ enum: ['KIND_UNSPECIFIED'] });
  });
});
