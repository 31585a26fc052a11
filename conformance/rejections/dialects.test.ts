import { describe, expect, test } from 'vitest';
import { readComplaints } from './dialects.ts';
import { readRules } from './read-rules.ts';

describe('a sentence requires', () => {
  const rows: readonly (readonly [message: string, want: object])[] = [
    ['is required', { kind: 'required' }],
    ['Field required', { kind: 'required' }],
    ['must not be blank', { kind: 'required' }],
    ["can't be blank", { kind: 'required' }],
    ['This field may not be null.', { kind: 'required' }],
    ['The title field is required.', { kind: 'required' }],
    ['No name was provided', { kind: 'required' }],
    ['must be one of [red, green]', { enum: ['red', 'green'] }],
    ["Input should be 'red', 'green' or 'blue'", { enum: ['red', 'green', 'blue'] }],
    ['"x" is not a valid choice. Valid choices are: red, green', { enum: ['red', 'green'] }],
    ['must be one of: 1, 2, 3', { enum: [1, 2, 3] }],
    ['value is not one of the allowed values ["asc","desc"]', { enum: ['asc', 'desc'] }],
    ['body/age must be < 2.5', { exclusiveMaximum: 2.5 }],
    ['must NOT have fewer than 2 characters', { minLength: 2 }],
    ['Something went wrong', {}],
  ];
  test.each(rows)('%s', (message, want) => {
    const [rule] = readRules(message);
    expect(rule?.kind === 'keywords' ? rule.keywords : (rule ?? {})).toEqual(want);
  });
});

describe('a rejection names field and rule, as written by', () => {
  const rows: readonly { name: string; body: unknown; want: readonly (readonly [string, string])[] }[] = [
    {
      name: 'FastAPI',
      body: { detail: [{ type: 'missing', loc: ['body', 'author', 'name'], msg: 'Field required', input: {} }] },
      want: [['body.author.name', 'required']],
    },
    {
      name: 'an empty list of places next to a name',
      body: { detail: [{ loc: [], field: 'email', msg: 'Field required' }] },
      want: [['email', 'required']],
    },
    {
      name: 'Django REST framework',
      body: { title: ['This field is required.'], address: { city: ['This field may not be blank.'] } },
      want: [
        ['title', 'required'],
        ['address.city', 'required'],
      ],
    },
    {
      name: 'Spring',
      body: {
        timestamp: '2026-01-01T00:00:00Z',
        status: 400,
        error: 'Bad Request',
        errors: [{ objectName: 'user', field: 'email', defaultMessage: 'must not be blank', code: 'NotBlank' }],
      },
      want: [['email', 'required']],
    },
    {
      name: 'Rails',
      body: { errors: { name: ["can't be blank", 'is too short (minimum is 3 characters)'] } },
      want: [['name', 'required']],
    },
    {
      name: 'express-validator',
      body: { errors: [{ type: 'field', msg: 'must be one of: red, green', path: 'colour', location: 'body' }] },
      want: [['colour', '{"enum":["red","green"]}']],
    },
    {
      name: 'Laravel',
      body: {
        message: 'The given data was invalid.',
        errors: { 'address.city': ['The address.city field is required.'] },
      },
      want: [['address.city', 'required']],
    },
    {
      name: 'JSON:API',
      body: { errors: [{ status: '422', source: { pointer: '/data/attributes/title' }, detail: "can't be blank" }] },
      want: [['data.attributes.title', 'required']],
    },
    {
      name: 'problem details',
      body: {
        type: 'about:blank',
        title: 'Your request is not valid.',
        status: 422,
        'invalid-params': [{ name: 'age', reason: 'is required' }],
      },
      want: [['age', 'required']],
    },
    {
      name: 'class-validator',
      body: {
        statusCode: 400,
        message: [{ property: 'email', constraints: { isNotEmpty: 'email should not be empty' } }],
      },
      want: [['email', 'required']],
    },
    {
      name: 'class-validator in plain sentences',
      body: { statusCode: 400, message: ['email must be an email', 'name should not be empty'], error: 'Bad Request' },
      want: [['name', 'required']],
    },
    { name: 'a plain sentence', body: { message: 'name is required' }, want: [['name', 'required']] },
    {
      name: 'joi',
      body: { message: '"colour" must be one of [red, green]' },
      want: [['colour', '{"enum":["red","green"]}']],
    },
    {
      name: 'fastify',
      body: { statusCode: 400, message: "body must have required property 'title'" },
      want: [['title', 'required']],
    },
    {
      name: 'fastify, with the bounds of Ajv',
      body: {
        message:
          "body/receiver/floor must be >= 1, body/tags must NOT have more than 3 items, body/receiver must have required property 'name'",
      },
      want: [
        ['body.receiver.floor', '{"minimum":1}'],
        ['body.tags', '{"maxItems":3}'],
        ['body.receiver.name', 'required'],
      ],
    },
    {
      name: 'a code in capitals',
      body: { error: { message: 'INVALID_ID_TOKEN', errors: [{ reason: 'INVALID_EMAIL : not an address' }] } },
      want: [
        ['id_token', 'forbidden'],
        ['email', '{"format":"email"}'],
      ],
    },
  ];
  test.each(rows)('$name', ({ body, want }) => {
    const found = readComplaints(body).flatMap(({ path, rules }) =>
      rules.map((rule) => [path.join('.'), rule.kind === 'keywords' ? JSON.stringify(rule.keywords) : rule.kind]),
    );
    for (const pair of want) expect(found).toContainEqual(pair);
  });
});

test('reads a page of HTML or a stack trace fast', () => {
  const page = `<html>${'<p>The value is required, must be one of a, b or c '.repeat(2_000)}</html>`;
  expect(readComplaints(page).length).toBeLessThan(60);
});
