import { describe, expect, test } from 'vitest';
import { noConstraints } from '../rejections/constraints.ts';
import { exampleTarget } from '../resources/find-targets.ts';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { addEnding, freshOf, renewEndings } from './apply-constraints.ts';
import { plainVariant } from './attempt.ts';
import { createRequestBuilder } from './build-request.ts';

describe('an ending that makes a text unique', () => {
  test.each([
    ['stands behind a name', 'Dune', 'tct6', 'Dunetct6'],
    ['stands before the @ of an address', 'ann@example.com', 'tct6', 'anntct6@example.com'],
    ['keeps its hyphen there', 'ann@example.com', '-tct6', 'ann-tct6@example.com'],
    ['and where a name stands around the address', 'Ann <ann@example.com>', 'tct6', 'Ann <anntct6@example.com>'],
    ['stands behind a handle', '@ann', 'tct6', '@anntct6'],
    ['stands behind words with an @', 'ann @ work', 'tct6', 'ann @ worktct6'],
    ['stands behind the path of a URL', 'https://example.com/a', '-tct6', 'https://example.com/a-tct6'],
    ['leaves the host of a URL as it is', 'https://example.com', 'tct6', 'https://example.com/tct6'],
    ['and its port', 'http://127.0.0.1:80', '-tct6', 'http://127.0.0.1:80/tct6'],
    ['stands before the query of a URL', 'https://example.com/a?b=c', 'tct6', 'https://example.com/atct6?b=c'],
    ['stands before a fragment', 'https://example.com#b', 'tct6', 'https://example.com/tct6#b'],
    ['stands in a path with an @', 'https://example.com/@ann', 'tct6', 'https://example.com/@anntct6'],
    ['leaves who logs in at a host', 'amqp://a:b@example.com', 'tct6', 'amqp://a:b@example.com/tct6'],
  ])('%s', (_, text, ending, want) => {
    expect(addEnding(text, ending)).toBe(want);
  });
});

describe('a copy has other endings of this run', () => {
  const tools = {
    ...contextOf(contractOf({ '/a': { get: { responses: {} } } })),
    now: Date.parse('2026-04-01T09:30:00Z'),
    seed: 999,
  };
  const [ending, other] = [freshOf(tools, 5), freshOf({ ...tools, seed: 0 }, 5)];
  test.each([
    ['in a name', `Dune${ending}`],
    ['in an address', `ann${other}@example.com`],
    ['in a URL', `https://example.com/a-${ending}?b=c`],
  ])('%s', (_, text) => {
    const copies = [0, 1, 2].map((count) => String(renewEndings(text, tools, count)));
    expect(new Set([text, ...copies]).size).toBe(4);
    for (const copy of copies) expect(copy.length).toBe(text.length);
  });

  test('of a run at whose time the head of the ending changes', () => {
    const late = { ...tools, now: (36 ** 5 * 29 + 36 ** 3 - 1) * 1_000 };
    const text = `Dune${freshOf(late, 5)}`;
    expect(renewEndings(text, late, 0)).not.toBe(text);
  });

  test('equal ones for equal texts, in lists and objects', () => {
    const renewed = renewEndings({ name: `a${ending}`, names: [`b${ending}`, 7, null] }, tools, 3);
    const now = String(renewEndings(ending, tools, 3));
    expect(renewed).toEqual({ name: `a${now}`, names: [`b${now}`, 7, null] });
  });

  test.each(['Dune', 'tct', '2026-04-01T09:30:00Z', 'plaintextplaintext'])('and "%s" stays', (text) => {
    expect(renewEndings(text, tools, 1)).toBe(text);
  });
});

test('a body under another name keeps the domain of an address', () => {
  const example = { email: 'ann@example.com', name: 'Dune' };
  const content = { 'application/json': { example } };
  const contract = contractOf({ '/people': { post: { requestBody: { content }, responses: {} } } });
  const context = contextOf(contract);
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const builder = createRequestBuilder(context, operation);
  const draft = builder.build(exampleTarget, { ...plainVariant, fresh: 1 }, context.resources, noConstraints);
  expect(draft?.body?.value).toMatchObject({ email: expect.stringMatching(/^ann\w+@example\.com$/) });
});
