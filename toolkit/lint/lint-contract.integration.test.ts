import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContractError } from '../contract/contract-error.ts';
import { readContract } from '../contract/read-contract.ts';
import { linters } from '../fixtures/linters.ts';
import type { Problem } from '../problem.ts';
import { lintContract } from './lint-contract.ts';
import type { LintProfile } from './run-redocly.ts';

const head = `openapi: 3.1.1
info: {title: T, version: 1.0.0, license: {name: MIT, identifier: MIT}}
servers: [{url: 'https://museum.test'}]
`;
/** Of a schema alone, in lines 4 to 7 and on. */
const withSchema = (schema: string) => `${head}paths: {}\ncomponents:\n  schemas:\n    Room: ${schema}\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lint-contract-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<string> {
  const place = await mkdtemp(join(folder, 'case-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
  return place;
}

for (const { by, run, options } of linters)
  describe(`Redocly ${by}`, options, () => {
    const lintBy = (contract: string, profile: LintProfile) => lintContract(contract, profile, { run });

    async function refusal(path: string): Promise<readonly Problem[]> {
      const outcome = await lintBy(path, 'house').catch((error: unknown) => error);
      expect(outcome).toBeInstanceOf(ContractError);
      return (outcome as ContractError).problems;
    }

    describe.concurrent('a contract that cannot be read', () => {
      const refused = [
        {
          name: 'is not YAML',
          given: `${head}paths: [\nx: {}\n`,
          want: ['yaml', 4, '#', /^\[ is opened here/, /YAML/],
        },
        {
          name: 'has a key twice',
          given: `${head}info: {}\n`,
          want: ['yaml', 4, '#/info', / info is here and at .*a\.yaml:2:1: map keys must be unique/, /YAML/],
        },
        {
          name: 'has a key twice, in JSON',
          given: '{"openapi": "3.1.1",\n"info": {},\n"info": {}}',
          want: ['yaml', 3, '#/info', / info is here and at .*a\.yaml:2:1: map keys must be unique/, /once/],
        },
        {
          name: 'is no object',
          given: 'Rooms\n',
          want: ['unsupported/openapi-version', 1, '#', /it is text/, /OpenAPI document/],
        },
        {
          name: 'is no OpenAPI',
          given: 'a: []\n',
          want: ['unsupported/openapi-version', 1, '#/openapi', /openapi is missing/, /OpenAPI document/],
        },
        {
          name: 'refers in a circle',
          given: withSchema("{$ref: '#/components/schemas/Hall'}\n    Hall: {$ref: '#/components/schemas/Room'}"),
          want: ['unreadable', 7, '#/components/schemas/Room/$ref', /leads back to itself/, /reference/],
        },
        {
          name: 'holds an alias inside its own anchor',
          given: withSchema('&room {type: object, properties: {inner: *room}}'),
          want: ['unreadable', 7, '#/components/schemas/Room/properties/inner', /alias/, /alias/],
        },
        {
          name: 'has a member with a name that the linter trips over',
          given: withSchema('{type: object, properties: {hasOwnProperty: {type: string}}}'),
          want: ['unreadable', 7, '#/components/schemas/Room/properties/hasOwnProperty', /hasOwnProperty/, /name/],
        },
      ] as const;

      for (const { name, given, want } of refused) {
        test(`${name}: reports it with its location`, async () => {
          const problems = await refusal(join(await write({ 'a.yaml': given }), 'a.yaml'));
          const [rule, line, pointer, message, fix] = want;
          expect(problems[0]).toMatchObject({ rule, line, pointer });
          expect(problems[0]?.message).toMatch(message);
          expect(problems[0]?.fix).toMatch(fix);
        });
      }

      test('is spread over files of which one is not YAML: names that file', async () => {
        const place = await write({
          'a.yaml': `${head}paths:\n  /rooms: {$ref: 'rooms.yaml'}\n`,
          'rooms.yaml': 'rooms: [\n',
        });
        expect(await refusal(join(place, 'a.yaml'))).toMatchObject([
          { file: join(place, 'rooms.yaml'), line: 1, column: 8, message: '[ is opened here, and never closed' },
        ]);
      });

      test('does not exist', async () => {
        const path = join(folder, 'none.yaml');
        const message = 'the file does not exist';
        expect(await refusal(path)).toMatchObject([{ file: path, line: 1, rule: 'readable', message }]);
      });

      test('is a folder', async () => {
        expect(await refusal(folder)).toMatchObject([
          { file: folder, rule: 'readable', message: expect.stringMatching(/folder/) },
        ]);
      });
    });

    describe.concurrent('a reference that leads nowhere is named', () => {
      const root = (ref: string) => `${head}paths:\n  /rooms: {$ref: '${ref}'}\n`;
      const cases = [
        {
          name: 'in the document itself',
          files: { 'a.yaml': root('#/components/pathItems/Rooms') },
          want: { file: 'a.yaml', line: 5, message: '#/components/pathItems/Rooms' },
        },
        {
          name: 'to another file',
          files: { 'a.yaml': root('rooms.yaml') },
          want: { file: 'a.yaml', line: 5, message: 'rooms.yaml' },
        },
        {
          name: 'from another file',
          files: { 'a.yaml': root('rooms.yaml'), 'rooms.yaml': "parameters:\n  - {$ref: 'limits.yaml#/limit'}\n" },
          want: { file: 'rooms.yaml', line: 2, message: 'limits.yaml#/limit' },
        },
        {
          name: 'in the mapping of a discriminator',
          files: {
            'a.yaml': withSchema("{type: object, discriminator: {propertyName: kind, mapping: {hall: 'halls.yaml'}}}"),
          },
          want: { file: 'a.yaml', line: 7, message: 'halls.yaml' },
        },
      ];
      for (const { name, files, want } of cases) {
        test(name, async () => {
          const place = await write(files);
          const found = (await lintBy(join(place, 'a.yaml'), 'house')).filter(
            ({ rule }) => rule === 'no-unresolved-refs',
          );
          expect(found).toMatchObject([
            {
              file: join(place, want.file),
              line: want.line,
              message: expect.stringMatching(new RegExp(`: ${want.message}\\.$`)),
            },
          ]);
        });
      }
    });

    describe.concurrent('a misspelt reference is answered with the nearest', () => {
      const schemas = `components:\n  schemas:\n    Room: {type: object, properties: {hall: {$ref: '#/components/schemas/Hall'}}}\n    Hall: {type: string}\n`;
      const root = (ref: string) => `${head}paths:\n  /rooms: {$ref: '${ref}'}\n${schemas}`;
      const rooms = `Rooms: {get: {operationId: listRooms, requestBody: {$ref: '#/Bodi'}, responses: {}}}\nBody: {content: {}}\n`;
      const cases = [
        {
          name: 'of the same section',
          files: { 'a.yaml': root('#/x').replace('schemas/Hall', 'schemas/Hal') },
          want: ['a.yaml', '#/components/schemas/Hall'],
        },
        {
          name: 'where the section is misspelt too',
          files: { 'a.yaml': root('#/x').replace('components/schemas/Hall', 'component/schema/Hal') },
          want: ['a.yaml', '#/components/schemas/Hall'],
        },
        {
          name: 'among files',
          files: { 'a.yaml': root('./room.yaml#/Room'), 'rooms.yaml': rooms },
          want: ['a.yaml', './rooms.yaml#/Rooms'],
        },
        {
          name: 'where its # is missing',
          files: { 'a.yaml': root('#/x').replace('#/components/schemas/Hall', '/components/schemas/Hall') },
          want: ['a.yaml', '#/components/schemas/Hall'],
        },
        {
          name: 'where # and slash are missing, and the name is misspelt',
          files: { 'a.yaml': root('#/x').replace('#/components/schemas/Hall', 'components/schemas/hall') },
          want: ['a.yaml', '#/components/schemas/Hall'],
        },
        {
          name: 'in a request body of another file',
          files: { 'a.yaml': root('rooms.yaml#/Rooms'), 'rooms.yaml': rooms },
          want: ['rooms.yaml', '#/Body'],
        },
      ] as const;
      for (const { name, files, want } of cases) {
        test(name, async () => {
          const place = await write(files);
          const path = join(place, 'a.yaml');
          const expected = expect.objectContaining({
            file: join(place, want[0]),
            rule: 'no-unresolved-refs',
            fix: `Did you mean ${want[1]}?`,
          });
          expect(await lintBy(path, 'house')).toContainEqual(expected);
          const refused = await readContract(path, { strict: true }).catch((error: unknown) => error);
          expect((refused as ContractError).problems).toContainEqual(expected);
        });
      }

      test('and one that is near nothing is not', async () => {
        const place = await write({ 'a.yaml': root('#/components/schemas/Storehouse') });
        const found = await lintBy(join(place, 'a.yaml'), 'house');
        expect(found.find(({ rule }) => rule === 'no-unresolved-refs')?.fix).not.toMatch(/Did you mean/);
      });
    });

    describe('a reference that leads nowhere stands before what follows from it', () => {
      const answer = (schema: string, rest: string) =>
        `{'200': {description: OK, content: {application/json: {schema: {$ref: '${schema}'}, ${rest}}}}}`;
      const contract = (room: string, hall: string) => `${head}paths:
  /rooms:
    get:
      operationId: listRooms
      summary: Lists the rooms
      security: []
      responses: ${answer('#/components/schemas/Rooms', 'examples: {one: {value: {hall: {name: a, door: b}}}, two: {$ref: "#/components/examples/Two"}}')}
  /halls:
    get:
      operationId: listHalls
      summary: Lists the halls
      security: []
      responses: ${answer(hall, 'examples: {one: {value: {nmae: a}}}')}
components:
  examples:
    Two: {value: {hall: {name: a}}}
  schemas:
    Rooms: {type: object, properties: {hall: {allOf: [{$ref: '${room}'}, {type: object, properties: {}}]}}}
    Hall: {type: object, properties: {name: {type: string, example: a}}}
`;
      const told = async (place: string) =>
        (await lintBy(join(place, 'a.yaml'), 'house')).map(({ rule, pointer, fix, more }) => [
          rule,
          pointer,
          fix,
          more,
        ]);
      const inRooms = '#/components/schemas/Rooms/properties/hall/allOf/0';
      const misspelt = '#/paths/~1halls/get/responses/200/content/application~1json/examples/one/value/nmae';
      const fix = 'Correct the name, or describe the member in the schema.';

      test('and counts the examples that it leaves undescribed, shared ones too, and no other', async () => {
        const place = await write({ 'a.yaml': contract('#/components/schemas/hall', '#/components/schemas/Hall') });
        expect(await told(place)).toEqual([
          ['no-unresolved-refs', inRooms, 'Did you mean #/components/schemas/Hall?', 'and 3 more that follow from it'],
          ['lockstep/example-member-described', misspelt, fix, undefined],
        ]);
      });

      test('and counts the component that nothing else uses', async () => {
        const place = await write({
          'a.yaml': contract('#/components/schemas/hall', '#/components/schemas/Rooms').replace('nmae: a', 'hall: {}'),
        });
        expect(await told(place)).toEqual([
          ['no-unresolved-refs', inRooms, 'Did you mean #/components/schemas/Hall?', 'and 4 more that follow from it'],
        ]);
      });

      test('in another file too', async () => {
        const place = await write({
          'a.yaml': contract('halls.yaml#/Cellar', '#/components/schemas/Hall'),
          'halls.yaml':
            "Cellar: {allOf: [{$ref: '#/Atrium'}, {type: object, properties: {}}]}\nHalls: {type: object, properties: {name: {type: string}}}\n",
        });
        expect((await told(place)).map(([rule, pointer, , more]) => [rule, pointer, more])).toEqual([
          ['no-unresolved-refs', '#/Cellar/allOf/0', 'and 3 more that follow from it'],
          ['lockstep/example-member-described', misspelt, undefined],
        ]);
      });

      const service = fileURLToPath(new URL('../../openapi/service.yaml', import.meta.url));
      const typos = [
        {
          name: 'a schema',
          from: "items: {$ref: '#/components/schemas/DeviceReference'",
          to: "items: {$ref: '#/components/schemas/deviceReference'",
        },
        {
          name: 'a schema without #',
          from: "items: {$ref: '#/components/schemas/DeviceReference'",
          to: "items: {$ref: '/components/schemas/DeviceReference'",
        },
        { name: 'a parameter', from: "#/components/parameters/DeviceId'", to: "#/components/parameters/deviceId'" },
        {
          name: 'the items of a page that links read',
          from: "payload: {description: Devices of this page., type: array, maxItems: 300, items: {$ref: '#/components/schemas/Device'",
          to: "payload: {description: Devices of this page., type: array, maxItems: 300, items: {$ref: '#/components/schemas/Devise'",
        },
      ];
      for (const { name, from, to } of typos) {
        test(`and alone, where one reference of a whole service misspells ${name}`, async () => {
          const text = await readFile(service, 'utf8');
          expect(text).toContain(from);
          const place = await write({ 'a.yaml': text.replace(from, to) });
          const nearest = /#\/components\/\w+\/\w+/.exec(from)?.[0];
          expect(await told(place)).toEqual([
            [
              'no-unresolved-refs',
              expect.any(String),
              `Did you mean ${nearest}?`,
              expect.stringMatching(/^and \d+ more that follows? from it$/),
            ],
          ]);
        });
      }
    });

    test('an operationId that another file has too is named with both files', async () => {
      const item = (summary: string) =>
        `get: {operationId: listRooms, summary: ${summary}, security: [], responses: {'200': {description: OK, links: {again: {operationId: listRooms}}}}}\n`;
      const place = await write({
        'a.yaml': `${head}paths:\n  /rooms:\n    ${item('Rooms')}  /halls: {$ref: halls.yaml}\n`,
        'halls.yaml': item('Halls'),
      });
      const found = await lintBy(join(place, 'a.yaml'), 'house');
      expect(found.find(({ rule }) => rule === 'operation-operationId-unique')).toMatchObject({
        file: join(place, 'halls.yaml'),
        line: 1,
        message: `The operationId listRooms is used here and at ${join(place, 'a.yaml')}:6:11.`,
      });
    });

    describe('nothing is asked of the network', () => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? '');
        response.end('{}');
      });
      let origin: string;
      beforeAll(async () => {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      });
      afterAll(() => server.close());

      const cases = [
        {
          name: 'by a $ref',
          files: (at: string) => ({ 'a.yaml': withSchema(`{$ref: '${at}'}`) }),
          want: ['a.yaml', 7, '#/components/schemas/Room/$ref'],
        },
        {
          name: 'by a $ref within data',
          files: (at: string) => ({ 'a.yaml': withSchema(`{type: object, example: {$ref: '${at}'}}`) }),
          want: ['a.yaml', 7, '#/components/schemas/Room/example/$ref'],
        },
        {
          name: 'by the mapping of a discriminator',
          files: (at: string) => ({
            'a.yaml': withSchema(`{type: object, discriminator: {propertyName: kind, mapping: {hall: '${at}'}}}`),
          }),
          want: ['a.yaml', 7, '#/components/schemas/Room/discriminator/mapping/hall'],
        },
        {
          name: 'by a file that it refers to',
          files: (at: string) => ({
            'a.yaml': withSchema("{$ref: 'rooms.yaml#/Room'}"),
            'rooms.yaml': `Room: {$ref: 'halls.json'}\n`,
            'halls.json': `{"properties": {"a": {"$ref": "${at}"}, "b": {"$ref": "rooms.yaml"}}}`,
          }),
          want: ['halls.json', 1, '#/properties/a/$ref'],
        },
      ] as const;
      for (const { name, files, want } of cases) {
        test(name, async () => {
          const at = `${origin}/room.yaml#/Room`;
          const place = await write(files(at));
          const [file, line, pointer] = want;
          expect(await refusal(join(place, 'a.yaml'))).toMatchObject([
            { file: join(place, file), line, pointer, rule: 'no-network', message: expect.stringContaining(at) },
          ]);
          expect(asked).toEqual([]);
        });
      }

      test('an address in words, servers and data is none, and an external value is not fetched', async () => {
        const external = `  examples: {One: {externalValue: '${origin}/one.json'}}\n`;
        const place = await write({
          'a.yaml': `${withSchema(`{type: string, description: 'See ${origin}', example: '${origin}'}`)}${external}`,
        });
        expect(await lintBy(join(place, 'a.yaml'), 'house')).not.toContainEqual(
          expect.objectContaining({ rule: 'no-network' }),
        );
        expect(asked).toEqual([]);
      });
    });

    describe.concurrent('a contract from anywhere', () => {
      /** A typical foreign contract: no license, no examples, no operationId, no security. */
      const stranger = (version: string, schemas: string, more = '') =>
        `openapi: ${version}\ninfo: {title: T, version: '1'}\npaths:\n  /a/{id}:\n    get:\n      parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n      responses: {'200': {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}\n${more}components:\n  schemas:\n${schemas}`;
      const a = '    A: {type: object, properties: {b: {type: string}}}\n';
      const cases: readonly (readonly [name: string, given: string, want: readonly (readonly unknown[])[]])[] = [
        ['of 3.1 has nothing to fix', stranger('3.1.0', a), []],
        ['of 3.0 has nothing to fix', stranger('3.0.3', a.replace('string}', 'string, nullable: true}')), []],
        [
          'is warned of a keyword that nobody knows, which keeps nothing from being derived',
          stranger('3.1.0', a.replace('type: object', 'type: object, lenght: 3')),
          [['struct', 'warning', 10, 0]],
        ],
        [
          'gets one problem for equal ones at several places, and errors before warnings',
          stranger(
            '3.1.0',
            '    A: {type: integer, example: a}\n    B: {type: integer, example: a}\n    C: {type: integer, example: a}\n    D: {pattern: "("}\n',
          ),
          [
            ['lockstep/pattern-compiles', undefined, 13, 0],
            ['no-invalid-schema-examples', 'warning', 10, 2],
          ],
        ],
        [
          'gets the problems first that stop the derivation',
          stranger('3.1.0', '    A: {type: integer, example: a}\n    B: {$dynamicRef: "#a"}\n'),
          [
            ['unsupported/dynamic-reference', undefined, 11, 0],
            ['no-invalid-schema-examples', 'warning', 10, 0],
          ],
        ],
        [
          'has a path that two templates spell',
          stranger('3.0.3', a, "  /a/{name}:\n    get:\n      responses: {'200': {description: OK}}\n"),
          [
            ['path-parameters-defined', undefined, 9, 0],
            ['no-identical-paths', undefined, 8, 0],
          ],
        ],
      ];
      for (const [name, given, want] of cases) {
        test(name, async () => {
          const problems = await lintBy(join(await write({ 'a.yaml': given }), 'a.yaml'), 'valid');
          const told = problems.map(({ rule, severity, line, also = [] }) => [rule, severity, line, also.length]);
          expect(told.sort()).toEqual([...want].sort());
          const kinds = problems.map(({ severity }) => severity ?? 'error');
          expect(kinds).toEqual(kinds.toSorted());
        });
      }

      test('that stands on the web is named by its address', async () => {
        const server = createServer((_, response) => {
          response.end(stranger('3.1.0', '    A: {type: integer, example: a}\n'));
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi`;
        const problems = await lintBy(address, 'valid');
        server.close();
        expect(problems.map(({ file, line }) => [file, line])).toEqual([[address, 10]]);
      });
    });
  });
