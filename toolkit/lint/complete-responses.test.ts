import { expect, test } from 'vitest';
import { completeResponses } from './complete-responses.ts';

const head = `openapi: 3.1.1
x-default-responses:
  '401': {$ref: '#/components/responses/NoToken'}
  '503': {$ref: '#/components/responses/Busy'}
paths:
  /rooms:
    get:
`;
const noToken = "        '401': {$ref: '#/components/responses/NoToken'}\n";
const busy = "        '503': {$ref: '#/components/responses/Busy'}\n";

const rows = [
  {
    name: 'after the last response, whatever its last line',
    given: `      responses:
        '200':
          description: |
            All of them.

            # Not a comment.

      # Behind the operation.
  /doors: {}
`,
    want: `      responses:
        '200':
          description: |
            All of them.

            # Not a comment.
${noToken}${busy}
      # Behind the operation.
  /doors: {}
`,
  },
  {
    name: 'between the others, each with its comments',
    given: `      responses:
        # A good answer.
        '200': {description: All} # of them
        # Not found.
        '404': {description: None}
        default: {description: Anything}
`,
    want: `      responses:
        # A good answer.
        '200': {description: All} # of them
${noToken}        # Not found.
        '404': {description: None}
${busy}        default: {description: Anything}
`,
  },
  {
    name: 'behind the comments that are indented as part of a response',
    given: `      responses:
        '200':
          description: All
          # headers come later

          # and links
        # Not found.
        '404':
          description: None
          # for good
`,
    want: `      responses:
        '200':
          description: All
          # headers come later

          # and links
${noToken}        # Not found.
        '404':
          description: None
          # for good
${busy}`,
  },
  {
    name: 'before the first if that is a higher one, and at the end of a text without a final line break',
    given: "      responses:\n        '404': {description: None}",
    want: `      responses:\n${noToken}        '404': {description: None}\n${busy.trimEnd()}`,
  },
  {
    name: 'in braces',
    given: "      responses: {'200': {description: All}, '404': {description: None}}\n",
    want: `      responses: {'200': {description: All}, "401": {"$ref": "#/components/responses/NoToken"}, '404': {description: None}, "503": {"$ref": "#/components/responses/Busy"}}\n`,
  },
  {
    name: 'only what neither status nor range declares',
    given: "      responses:\n        '200': {description: All}\n        4XX: {description: Refused}\n",
    want: `      responses:\n        '200': {description: All}\n${busy}        4XX: {description: Refused}\n`,
  },
];

test.each(rows)('$name', ({ given, want }) => {
  const { text } = completeResponses(head + given);
  expect(text).toBe(head + want);
  expect(completeResponses(text)).toEqual({ text, completed: [] });
});

test.each([
  ['declares all', `      responses:\n        '200': {description: All}\n${noToken}${busy}`],
  ['has servers of its own', "      servers: [{url: /auth}]\n      responses:\n        '200': {description: All}\n"],
  ['is on a path with servers of its own', "      responses: {'200': {}}\n    servers: [{url: /auth}]\n"],
  ['declares nothing yet', '      responses: {}\n'],
  ['borrows the responses of another', "      responses: *all\n  /all: {x: &all {'200': {}}}\n"],
  ['is no YAML', '      responses: {\n'],
])('an operation that %s is left alone', (_, given) => {
  expect(completeResponses(head + given)).toEqual({ text: head + given, completed: [] });
});

test.each([
  ['an inline response', '{description: No token}'],
  ['null', 'null'],
  ['a reference that is no text', '{$ref: 1}'],
])('%s under x-default-responses is not copied, a reference next to it is', (_, value) => {
  const mixed = head.replace("{$ref: '#/components/responses/NoToken'}", value);
  const bare = "      responses:\n        '200': {description: All}\n";
  const { text, completed } = completeResponses(mixed + bare);
  expect(text).toBe(mixed + bare + busy);
  expect(completed).toEqual([{ path: '/rooms', method: 'get', statuses: ['503'] }]);
  const alone = mixed.replace(/ {2}'503'.+\n/, '');
  expect(completeResponses(alone + bare)).toEqual({ text: alone + bare, completed: [] });
});

test('every operation that was completed is named, and lines end as the others do', () => {
  const given = `${head}      responses:\n        '200': {description: All}\n`.replaceAll('\n', '\r\n');
  const { text, completed } = completeResponses(given);
  expect(completed).toEqual([{ path: '/rooms', method: 'get', statuses: ['401', '503'] }]);
  expect(text).toBe(given + (noToken + busy).replaceAll('\n', '\r\n'));
});

test('JSON stays JSON', () => {
  const root = {
    'x-default-responses': { 401: { $ref: '#/a' } },
    paths: { '/rooms': { get: { responses: { 200: { description: 'All' } } } } },
  };
  const { text } = completeResponses(JSON.stringify(root, null, 2));
  expect(JSON.parse(text).paths['/rooms'].get.responses).toEqual({ 200: { description: 'All' }, 401: { $ref: '#/a' } });
});

test('a contract without defaults is not touched', () => {
  const text = "paths: {/rooms: {get: {responses: {'200': {}}}}}";
  expect(completeResponses(text)).toEqual({ text, completed: [] });
});
