import { describe, expect, test } from 'vitest';
import { noConstraints } from '../rejections/constraints.ts';
import { exampleTarget } from '../resources/find-targets.ts';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { addEnding } from './apply-constraints.ts';
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
