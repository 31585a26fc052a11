import { expect, test } from 'vitest';
import { readContract } from './read-contract.ts';

const swagger = `swagger: '2.0'
info: {title: T, version: '1'}
host: x.example
basePath: /v1
schemes: [https]
consumes: [application/json]
produces: [application/json]
securityDefinitions:
  key: {type: apiKey, in: header, name: K}
definitions:
  Thing: {type: object, properties: {id: {type: any}}}
paths:
  /things/{id}:
    put:
      operationId: putThing
      security: [{key: []}]
      parameters:
        - {name: body, in: body, schema: {$ref: '#/definitions/Gone'}}
        - {name: id, in: path, required: true, type: string, enum: []}
      responses:
        200: {description: OK, schema: {$ref: '#/definitions/Thing'}}
        404: {$ref: '#/responses/Gone'}
`;

test('Swagger 2.0 is read as OpenAPI, and its faults have the lines of the text', async () => {
  const { document, notices } = await readContract('contract.yaml', { text: swagger });
  expect(document.servers).toEqual([{ url: 'https://x.example/v1' }]);
  expect(document.paths?.['/things/{id}']).toMatchObject({
    put: {
      parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
      requestBody: { content: { 'application/json': { schema: {} } } },
      responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
    },
  });
  expect(notices.map(({ line, pointer }) => [line, pointer])).toEqual([
    [1, '#/swagger'],
    [11, '#/definitions/Thing/properties/id/type'],
    [18, '#/paths/~1things~1{id}/put/parameters/0/schema'],
    [19, '#/paths/~1things~1{id}/put/parameters/1/enum'],
    [22, '#/paths/~1things~1{id}/put/responses/404'],
  ]);
});

test('a strict reader refuses it', async () => {
  await expect(readContract('contract.yaml', { text: swagger, strict: true })).rejects.toThrow('swagger is "2.0"');
});
