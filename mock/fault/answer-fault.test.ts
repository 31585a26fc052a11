import { createSchemaCompiler } from '@lockstep/runtime/form/compile-schema';
import { describe, expect, test } from 'vitest';
import { museumContract, museumOperations } from '../fixtures/museum.ts';
import { answerFault } from './answer-fault.ts';
import { Fault, type FaultOptions } from './fault.ts';

const compile = createSchemaCompiler(museumContract);

function answer(
  operation: keyof typeof museumOperations | undefined,
  options: FaultOptions,
  document: Record<string, unknown> = museumContract,
) {
  const pointer = operation && museumOperations[operation].pointer;
  const { status, headers, body } = answerFault({ document, compile, pointer, requestId: 'r-1' }, new Fault(options));
  return { status, headers: Object.fromEntries(headers), body: JSON.parse(String(body)) };
}

const detail = { in: 'query', at: 'order', says: 'order is wrong', nearest: ['title'] } as const;

describe('answerFault', () => {
  test('fills text, request id and details into the example that fits, under the names of the contract', () => {
    const { status, body } = answer('listExhibits', {
      statuses: [400],
      says: 'order is wrong',
      hints: ['bad_request'],
      details: [detail],
    });
    expect({ status, body }).toEqual({
      status: 400,
      body: { plaint: 'order is wrong', kind: 'bad_request', trace: 'r-1', hints: [detail] },
    });
  });

  test('takes the first example where none fits', () => {
    expect(answer('listExhibits', { statuses: [400], says: 'x', hints: ['nothing'] }).body.kind).toBe('out_of_hours');
  });

  test('takes the first status that is declared', () => {
    expect(answer('sellTicket', { statuses: [415, 400], says: 'x' }).status).toBe(400);
    expect(answer('getExhibit', { statuses: [422, 400], says: 'x' }).status).toBe(422);
  });

  test('answers by a range and by default', () => {
    expect(answer('getFeatured', { statuses: [404], says: 'x' })).toMatchObject({ status: 404, body: { plaint: 'x' } });
    expect(answer('removeExhibit', { statuses: [409], says: 'x' })).toMatchObject({
      status: 409,
      body: { plaint: 'x' },
    });
  });

  test('answers what no operation can declare as the root of the contract says', () => {
    const { status, headers, body } = answer(undefined, { statuses: [405], says: 'x', headers: { Allow: 'PUT' } });
    expect({ status, allow: headers.Allow, kind: body.kind }).toEqual({ status: 405, allow: 'PUT', kind: 'no_method' });
  });

  test('answers plainly where nothing is declared', () => {
    expect(answer(undefined, { statuses: [404], says: 'x' }, {})).toMatchObject({
      status: 404,
      body: { message: 'x' },
    });
    expect(answer('getOpeningHours', { statuses: [400], says: 'x' })).toMatchObject({
      status: 400,
      body: { message: 'x' },
    });
  });

  test('takes the header that goes with the example', () => {
    const challenge = (hint: string) =>
      answer('listExhibits', { statuses: [401], says: 'x', hints: [hint] }).headers['WWW-Authenticate'];
    expect(challenge('token_missing')).toBe('Bearer realm="museum"');
    expect(challenge('token_invalid')).toBe('Bearer realm="museum", error="invalid_token"');
  });

  test('leaves out what the schema has no room for, but not the text', () => {
    const odd = { ...detail, in: 'elsewhere' } as unknown as typeof detail;
    expect(answer('listExhibits', { statuses: [400], says: 'x', details: [odd] }).body).toMatchObject({
      plaint: 'x',
      hints: [],
    });
  });
});
