import { describe, expect, test } from 'vitest';
import { contractOf, worldOf } from '../planted/by-hand.ts';
import { constraintAt, keyOf, noConstraints } from '../rejections/constraints.ts';
import { exampleTarget } from '../resources/find-targets.ts';
import { addEnding, applyToBody } from './apply-constraints.ts';
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

describe('a body that has to be another than before', () => {
  const written = { email: 'ann@example.com', name: 'Dune' };
  const schema = {
    type: 'object',
    required: ['email', 'name'],
    properties: { email: { type: 'string' }, name: { type: 'string', maxLength: 8 } },
  };
  const content = { 'application/json': { schema, example: written } };
  const contract = contractOf({ '/people': { post: { requestBody: { content }, responses: {} } } });
  const world = worldOf(contract);
  const [operation] = contract.operations;
  const [json] = operation?.body?.contents ?? [];
  if (operation === undefined || json === undefined) throw new Error('no body');
  const application = { tools: world, referencesFor: () => [], count: 0 };
  const taught = (token: string, keywords: object = {}) => {
    const about = { kind: 'body', tokens: [token], schema: `${json.schema}/properties/${token}` } as const;
    const constraint = { ...constraintAt(noConstraints, about), unique: 1, keywords: { ...keywords } };
    return applyToBody(application, json, written, new Map([[keyOf(about), constraint]]));
  };

  test('has an address of the same domain, when a refusal asked for it', () => {
    expect(taught('email')).toEqual({ ...written, email: expect.stringMatching(/^ann-\w+@example\.com$/) });
  });

  test('and when it is sent under another name', () => {
    const draft = createRequestBuilder(world, operation).build(
      exampleTarget,
      { ...plainVariant, fresh: 1 },
      world.resources,
      noConstraints,
    );
    expect(draft?.body?.value).toMatchObject({ email: expect.stringMatching(/^ann\w+@example\.com$/) });
  });

  test.each([{}, { maxLength: 6 }])('stays as short as it has to be, by the contract and by %o', (keywords) => {
    const { maxLength: most = 8 } = keywords;
    expect(taught('name', keywords)).toEqual({ ...written, name: expect.stringMatching(`^.{1,${most}}$`) });
    expect(taught('name', keywords)).not.toEqual(written);
  });
});
