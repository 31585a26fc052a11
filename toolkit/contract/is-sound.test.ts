import type { JsonObject } from '@lockstep/json/json-pointer';
import {
  BaseResolver,
  createConfig,
  detectSpec,
  getTypes,
  lintDocument,
  normalizeTypes,
  Source,
} from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { isSound } from './is-sound.ts';
import { readValue } from './yaml-source.ts';

const parts = `
info: {title: T, version: '1', license: {name: MIT}}
servers: [{url: /v1, variables: {}}]
security: [{key: []}]
tags: [{name: pets}]
x-owner: {team: $ref, of: {$ref: '#/info'}}
paths:
  /pets/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get:
      operationId: getPet
      tags: [pets]
      responses:
        '200':
          description: OK
          headers: {Limit: {schema: {type: integer, minimum: 0}}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}, example: {name: Rex}}}
          links: {self: {operationId: getPet, parameters: {id: $response.body#/id}}}
        default: {$ref: '#/components/responses/Fault'}
    put:
      operationId: putPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'204': {description: Done}}
      callbacks: {changed: {'{$request.body#/url}': {post: {responses: {'200': {description: OK}}}}}}
components:
  parameters: {Id: {name: id, in: path, required: true, style: simple, schema: {type: string}}}
  responses: {Fault: {description: Fault, content: {text/plain: {schema: {type: string}}}}}
  securitySchemes:
    key: {type: apiKey, in: header, name: Key}
    login: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {read: all}}}}
  schemas:
    Pet:
      type: object
      required: [name]
      properties: {name: {type: string, maxLength: 9}, kind: {enum: [cat, dog]}, toy: {allOf: [{$ref: '#/components/schemas/Toy'}]}}
      additionalProperties: false
      discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Toy'}}
    Toy: {oneOf: [{type: number, multipleOf: 2}, {type: array, items: {$ref: '#/components/schemas/Pet'}}], xml: {name: toy}}
`;

/** Values and names that replace those of the document. */
const values = [null, 1, -1, 'text', true, [], [1], {}, { type: 'object' }];
const references = ['#/components/schemas/Pet', '#/components/nothing', 'other.yaml', '#/info'].map(($ref) => ({
  $ref,
}));
const names = ['x-more', 'more', 'description', 'enum', '$ref', 'toString'];

/** Every document with one change: another value at a place, a removed member, or one more. */
function* changed(node: unknown): Generator<unknown> {
  yield* [...values, ...references];
  if (typeof node !== 'object' || node === null) return;
  const isList = Array.isArray(node);
  for (const [name, value] of Object.entries(node)) {
    const others = Object.entries(node).filter(([other]) => other !== name);
    yield isList ? others.map(([, other]) => other) : Object.fromEntries(others);
    for (const one of changed(value)) yield isList ? node.toSpliced(Number(name), 1, one) : { ...node, [name]: one };
  }
  if (!isList) for (const name of names) yield { ...node, [name]: 'text' };
}

// Else a fault passes that costs its place, or for which `--strict` refuses the contract.
describe.each(['3.0.3', '3.1.1'])('a document of %s that is sound here', async (openapi) => {
  const sound = { openapi, ...(readValue(parts) as JsonObject) };
  const config = await createConfig({
    rules: { struct: 'error', 'no-unresolved-refs': 'error', 'operation-operationId-unique': 'error' },
  });
  const types = normalizeTypes(getTypes(detectSpec(sound)));
  const isSame = (document: unknown): document is JsonObject => Object(document).openapi === openapi;
  const all = [sound, ...[...changed(sound)].filter(isSame)];

  /** Faults that the linter finds in documents that are sound here. */
  async function findMissed(documents: readonly JsonObject[]) {
    const passed = documents.filter((document) => isSound(document, types));
    const missed = [];
    for (const parsed of passed) {
      const document = { source: new Source('contract.yaml', ''), parsed };
      const externalRefResolver = new BaseResolver();
      const problems = await lintDocument({ document, config: config.styleguide, externalRefResolver });
      missed.push(...problems.map(({ message, location }) => ({ message, pointer: location[0]?.pointer })));
    }
    return { passed: passed.length, missed };
  }

  test('is sound to the linter', async () => {
    const { passed, missed } = await findMissed(all.filter((_, index) => index % 100 === 0));
    expect(missed).toEqual([]);
    expect(passed).toBeGreaterThan(2);
    expect(passed).toBeLessThan(15);
  });

  test('is sound to the linter, for each place that is changed', { tags: ['full'] }, async () => {
    expect((await findMissed(all)).missed).toEqual([]);
  });
});
