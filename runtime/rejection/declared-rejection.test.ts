import { describe, expect, test } from 'vitest';
import { museumContract, museumOperations } from '../fixtures/museum.ts';
import { Rejection, type RejectionName, type RejectionOptions } from '../rejection.ts';
import { createSchemaCompiler } from '../validation/compile-schema.ts';
import { declaredRejection, reasonHeader } from './declared-rejection.ts';

function answer(
  operation: keyof typeof museumOperations | undefined,
  kind: RejectionName,
  options: Partial<RejectionOptions> = {},
  document: Record<string, unknown> = museumContract,
  fillsFromExamples = true,
) {
  const pointer = operation && museumOperations[operation].pointer;
  const compile = createSchemaCompiler(document);
  return declaredRejection(
    { document, compile, pointer, requestId: 'r-1', fillsFromExamples },
    new Rejection(kind, { text: 'x', ...options }),
  );
}

const detail = { in: 'query', at: 'order', says: 'order is wrong', nearest: ['title'] } as const;

describe('a refusal in the words of a contract', () => {
  test('has text, request id and details in the example that fits, under the names of the contract', () => {
    expect(answer('listExhibits', 'form', { text: 'order is wrong', details: [detail] })).toMatchObject({
      status: 400,
      mediaType: 'application/json',
      body: { plaint: 'order is wrong', kind: 'bad_request', trace: 'r-1', hints: [detail] },
    });
  });

  test('takes the first example where none fits', () => {
    expect(answer('getExhibit', 'body_type', { status: 422 }).body).toMatchObject({ kind: 'bad_id', plaint: 'x' });
  });

  test('takes the first status that is declared', () => {
    expect(answer('sellTicket', 'body_type').status).toBe(400);
    expect(answer('getExhibit', 'form', { status: 422 }).status).toBe(422);
  });

  test('is declared by a range or by default too', () => {
    expect(answer('getFeatured', 'scope_missing')).toMatchObject({ status: 403, body: { plaint: 'x' } });
    expect(answer('removeExhibit', 'internal')).toMatchObject({ status: 500, body: { plaint: 'x' } });
  });

  test('answers a missing operation with a response that fits, else with problem details', () => {
    expect(answer('removeExhibit', 'unimplemented')).toMatchObject({ status: 501, body: { plaint: 'x' } });
    expect(answer('removeExhibit', 'unimplemented')).not.toHaveProperty('isUndeclared');
    expect(answer('getFeatured', 'unimplemented')).toMatchObject({
      status: 501,
      body: { title: 'Not Implemented', status: 501, detail: 'x' },
      isUndeclared: true,
    });
  });

  test('is that of the root of the contract outside all operations', () => {
    const headers = { Allow: 'PUT' };
    expect(answer(undefined, 'method_not_allowed', { headers })).toMatchObject({
      status: 405,
      headers: { Allow: 'PUT' },
      body: { kind: 'no_method' },
    });
  });

  test('is problem details where nothing is declared', () => {
    const problem = { type: 'about:blank', detail: 'x', requestId: 'r-1' };
    expect(answer(undefined, 'route_unknown', {}, {})).toMatchObject({
      status: 404,
      mediaType: 'application/problem+json',
      body: { ...problem, title: 'Not Found', status: 404 },
      isUndeclared: true,
    });
    expect(answer('getOpeningHours', 'form', { details: [detail] })).toMatchObject({
      body: { ...problem, title: 'Bad Request', status: 400, errors: [detail] },
    });
  });

  test('takes the challenge that goes with the example, and its own where there is none', () => {
    const challenge = (kind: RejectionName) => answer('listExhibits', kind, { challenge: 'Own' }).headers;
    expect(challenge('credentials_missing')).toMatchObject({ 'WWW-Authenticate': 'Bearer realm="museum"' });
    expect(challenge('credentials_invalid')).toMatchObject({
      'WWW-Authenticate': 'Bearer realm="museum", error="invalid_token"',
    });
    expect(answer('getFeatured', 'credentials_missing', { challenge: 'Own' }).headers).toMatchObject({
      'WWW-Authenticate': 'Own',
    });
  });

  test('leaves out what the schema has no room for, but not the text', () => {
    const unfit = { ...detail, in: 'elsewhere' } as unknown as typeof detail;
    expect(answer('listExhibits', 'form', { details: [unfit] }).body).toMatchObject({ plaint: 'x', hints: [] });
  });
});

describe('a faulty request gets the status that the contract documents for one', () => {
  const rows: readonly { declared: Readonly<Record<string, string>>; status: number }[] = [
    { declared: { 422: 'Anything' }, status: 422 },
    { declared: { 480: 'Anything' }, status: 480 },
    { declared: { 480: 'Anything', default: 'Anything' }, status: 400 },
    { declared: { 480: 'UnprocessableEntityException', 483: 'NotFoundException' }, status: 480 },
    { declared: { 480: 'Anything', 483: 'Another' }, status: 400 },
    { declared: { 405: 'Invalid input' }, status: 405 },
    { declared: { 409: 'Invalid data of another version', 404: 'Bad request' }, status: 400 },
    { declared: { 410: 'Invalid data' }, status: 400 },
    { declared: { 412: 'Validation of If-Match' }, status: 400 },
    { declared: { 498: 'Invalid token' }, status: 400 },
    { declared: { 440: 'Login Time-out' }, status: 400 },
    { declared: { 420: 'Your rate is too high' }, status: 400 },
    { declared: { 498: 'Token expired', 480: 'Separate members' }, status: 480 },
  ];
  test.each(rows)('$declared: $status', ({ declared, status }) => {
    const responses = Object.fromEntries(
      Object.entries(declared).map(([key, description]) => [
        key,
        { description, content: { 'text/plain': { schema: { type: 'string' } } } },
      ]),
    );
    const document = { ...museumContract, paths: { '/exhibits': { get: { responses } } } };
    expect(answer('listExhibits', 'form', {}, document).status).toBe(status);
  });

  test.each<[RejectionName, number]>([
    ['too_many_requests', 429],
    ['body_too_large', 413],
    ['body_type', 415],
  ])('another kind of rejection does not get it: %s', (kind, status) => {
    const responses = { 480: { description: 'Anything' } };
    const document = { ...museumContract, paths: { '/exhibits': { get: { responses } } } };
    expect(answer('listExhibits', kind, {}, document).status).toBe(status);
  });
});

/** Errors as other contracts declare them, without a mark and mostly without an example. */
const shapes: readonly { name: string; schema: object; example?: object; want: unknown }[] = [
  {
    name: 'a code that is a number, as petstores have it',
    schema: { required: ['code', 'message'], properties: { code: { type: 'integer' }, message: { type: 'string' } } },
    want: { message: 'x', code: 400 },
  },
  {
    name: 'problem details',
    schema: {
      required: ['title', 'detail', 'status'],
      properties: { title: { type: 'string' }, detail: { type: 'string' }, status: { type: 'integer' } },
    },
    example: { title: 'Bad Request', detail: 'of another fault', status: 422 },
    want: { detail: 'x', status: 400, title: 'Bad Request' },
  },
  {
    name: 'an error of OAuth',
    schema: {
      required: ['error'],
      properties: { error: { enum: ['invalid_request'], type: 'string' }, error_description: { type: 'string' } },
    },
    want: { error_description: 'x', error: 'invalid_request' },
  },
  {
    name: 'a code that is a number in text',
    schema: {
      required: ['errorCode', 'message'],
      properties: { errorCode: { type: 'string', pattern: '^[0-9]{3}$' }, message: { type: 'string' } },
    },
    want: { message: 'x', errorCode: '400' },
  },
  {
    name: 'a lone text',
    schema: { required: ['error'], additionalProperties: false, properties: { error: { type: 'string' } } },
    want: { error: 'x' },
  },
  {
    name: 'a member that nobody knows what to say in',
    schema: { required: ['message', 'severity'], properties: { message: { type: 'string' }, severity: { enum: [1] } } },
    want: { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'x', requestId: 'r-1' },
  },
  { name: 'text alone', schema: { type: 'string' }, want: expect.objectContaining({ detail: 'x' }) },
];

/** The example of another problem gives members other than type and title. */
const problemShapes: readonly { name: string; example?: object; want: object }[] = [
  { name: 'without an example', want: { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'x' } },
  {
    name: 'by the example of another problem',
    example: { type: '/errors/lost', title: 'Lost', status: 404, help: '/help' },
    want: { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'x', help: '/help' },
  },
];

describe('declared problem details', () => {
  const schema = {
    type: 'object',
    required: ['type', 'title', 'status'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
    },
  };
  const answerBy = (media: object) => {
    const responses = { 400: { description: 'Bad', content: { 'application/problem+json': { schema, ...media } } } };
    return answer('listExhibits', 'form', {}, { ...museumContract, paths: { '/exhibits': { get: { responses } } } });
  };

  test.each(problemShapes)('name this problem: $name', ({ example, want }) => {
    const filled = answerBy(example === undefined ? {} : { example });
    expect(filled).toMatchObject({ mediaType: 'application/problem+json', body: want });
    expect(filled).not.toHaveProperty('isUndeclared');
  });

  test('keep type and title of the example that speaks of this one', () => {
    const value = { type: '/errors/form', title: 'Wrong form', status: 400 };
    expect(answerBy({ examples: { validation: { value } } }).body).toMatchObject({ ...value, detail: 'x' });
  });
});

describe('a body that marks nothing', () => {
  test.each(shapes)('is filled by the names of its members: $name', ({ schema, example, want }) => {
    const media = { schema: { type: 'object', ...schema }, ...(example && { example }) };
    const responses = { 400: { description: 'Bad', content: { 'application/json': media } } };
    const document = { ...museumContract, paths: { '/exhibits': { get: { responses } } } };
    expect(answer('listExhibits', 'form', {}, document).body).toEqual(want);
  });
});

describe('other members of an example', () => {
  const headers = {
    // Node writes the length: a second framing makes the message unreadable (RFC 9112, 6.3).
    'Transfer-Encoding': { required: true, schema: { type: 'string' }, example: 'chunked' },
    'X-Lines': { required: true, schema: { type: 'string' }, example: 'one\ntwo' },
    'Set-Cookie': { schema: { type: 'string' }, example: 'sid=abc' },
    'X-Edition': { required: true, schema: { type: 'string' }, example: '2' },
    'WWW-Authenticate': { schema: { type: 'string' }, example: 'Bearer realm="x", error="invalid_token"' },
  };
  const schema = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };
  const example = { message: 'of another', user: 'somebody' };
  const responses = { 401: { description: 'Bad', headers, content: { 'application/json': { schema, example } } } };
  const document = { ...museumContract, paths: { '/exhibits': { get: { responses } } } };
  const refuse = (isMock: boolean) =>
    answer('listExhibits', 'credentials_missing', { challenge: 'Own' }, document, isMock);

  test('is said by a mock', () => {
    expect(refuse(true)).toMatchObject({
      headers: { 'Set-Cookie': 'sid=abc', 'X-Edition': '2', 'WWW-Authenticate': expect.stringContaining('Bearer') },
      body: { message: 'x', user: 'somebody' },
    });
  });

  test.each([true, false])('are no headers that Node writes or rejects: mock %s', (isMock) => {
    expect(Object.keys(refuse(isMock).headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:Transfer-Encoding|X-Lines)$/)]),
    );
  });

  test('are no facts of a service: it sends required ones, and its own challenge', () => {
    expect(refuse(false)).toMatchObject({ headers: { 'X-Edition': '2', 'WWW-Authenticate': 'Own' } });
    expect(refuse(false).headers).not.toHaveProperty('Set-Cookie');
    expect(refuse(false).body).toEqual({ message: 'x' });
  });
});

describe('a rejection of a mock whose response has no example', () => {
  const contractWith = (content: object) => ({
    openapi: '3.1.0',
    paths: { '/a': { get: { responses: { 400: { description: 'No', content } } } } },
  });
  const reject = (content: object, makeBody?: (schema: unknown) => unknown) => {
    const document = contractWith(content);
    return declaredRejection(
      {
        ...{ document, compile: createSchemaCompiler(document), pointer: '#/paths/~1a/get', requestId: 'r' },
        ...{ fillsFromExamples: true, makeBody },
      },
      new Rejection('form', { text: 'x is wrong' }),
    );
  };
  const schema = { required: ['message', 'n'], properties: { message: { type: 'string' }, n: { type: 'integer' } } };

  test('has a body of its schema, with the message', () => {
    const answer = reject({ 'application/json': { schema } }, () => ({ message: 'string', n: 1 }));
    expect(answer).toMatchObject({ mediaType: 'application/json', body: { message: 'x is wrong', n: 1 } });
    expect(reject({ 'application/json': { schema } }).mediaType).toBe('application/problem+json');
  });

  test('has the required headers', () => {
    const described = (required: boolean) => ({ required, schema: { type: 'string' } });
    const headers = { 'X-Server': described(true), 'X-More': described(false), 'X-Broken': described(true) };
    const response = { description: 'No', headers };
    const document = { paths: { '/a': { get: { responses: { 400: response } } } } };
    let made = 0;
    const answer = declaredRejection(
      {
        ...{ document, compile: createSchemaCompiler(document), pointer: '#/paths/~1a/get', requestId: 'r' },
        ...{ fillsFromExamples: true, makeBody: () => ['s-1', 'two\nlines'][made++] },
      },
      new Rejection('form', { text: 'x is wrong' }),
    );
    expect(answer.headers).toEqual({ 'X-Server': 's-1' });
  });

  test('is JSON where the contract allows any type', () => {
    const answer = reject({ '*/*': { schema } }, () => ({ message: 'string', n: 1 }));
    expect(answer).toMatchObject({ mediaType: 'application/json', body: { message: 'x is wrong', n: 1 } });
  });

  test('has its reason in a header where the body has no place for it, in ASCII', () => {
    const { headers, body } = reject({ 'application/json': { example: { why: 'unknown' } } }, () => undefined);
    expect([body, headers]).toEqual([{ why: 'unknown' }, { 'X-Rejection': 'x is wrong' }]);
    expect(reject({ 'text/plain': {} }).headers).toEqual({});
    expect(reasonHeader(new Rejection('form', { text: ' größer\nals 💥 ' }))).toEqual({
      'X-Rejection': 'gr\\u00f6\\u00dfer\\u000aals \\ud83d\\udca5',
    });
  });

  test('is the message as plain text', () => {
    const answer = reject({ 'text/plain': { schema: { type: 'string' } } });
    expect(answer).toMatchObject({ mediaType: 'text/plain', body: 'x is wrong' });
    expect(reject({ 'text/html': {} }).mediaType).toBe('application/problem+json');
  });
});

describe('an error body with its text in a part', () => {
  const text = { type: 'string' };
  const item = {
    required: ['detail'],
    properties: { detail: text, code: { ...text, enum: ['missing', 'invalid'] }, param: text },
  };
  const list = { required: ['errors'], properties: { errors: { type: 'array', items: item }, trace: text } };
  const shape = { properties: { error: { $ref: '#/components/schemas/Problem' }, help: text } };
  const components = { schemas: { Problem: { type: 'object', properties: { message: text, type: text } } } };
  const reject = (content: object, fillsFromExamples: boolean) => {
    const responses = { 400: { description: 'No', content: { 'application/json': content } } };
    const document = { paths: { '/a': { get: { responses } } }, components };
    const compile = createSchemaCompiler(document);
    const context = { document, compile, pointer: '#/paths/~1a/get', requestId: 'r', fillsFromExamples };
    return declaredRejection(context, new Rejection('form', { text: 'n must be a number' })).body;
  };
  const examples = {
    a: { value: { errors: [{ detail: 'a is missing', code: 'missing', param: 'a' }], trace: 't' } },
    b: { value: { errors: [{ detail: 'b is invalid', code: 'invalid' }], trace: 'u' } },
  };

  test.each([
    { of: 'an object', content: { schema: shape }, body: { error: { message: 'n must be a number' } } },
    { of: 'a list', content: { schema: list }, body: { errors: [{ detail: 'n must be a number' }] } },
  ])('has the message there: $of', ({ content, body }) => {
    expect(reject(content, true)).toEqual(body);
    expect(reject(content, false)).toEqual(body);
  });

  test('is the example whose code fits, with other members in a mock alone', () => {
    const message = { detail: 'n must be a number', code: 'invalid' };
    expect(reject({ schema: list, examples }, true)).toEqual({ errors: [message], trace: 'u' });
    expect(reject({ schema: list, examples }, false)).toEqual({ errors: [message] });
    const strict = { ...list, required: ['errors', 'trace'] };
    expect(reject({ schema: strict, examples }, false)).toEqual({ errors: [message], trace: 'u' });
  });

  test('has the status of the answer around it', () => {
    const schema = { required: ['status', 'error'], properties: { ...shape.properties, status: { type: 'integer' } } };
    const example = { status: 422, error: { message: 'a is missing', type: 'b' }, help: 'c' };
    const message = 'n must be a number';
    expect(reject({ schema, example }, true)).toEqual({ status: 400, error: { message, type: 'b' }, help: 'c' });
    expect(reject({ schema, example }, false)).toEqual({ status: 400, error: { message } });
  });

  test('has the status of the example around it, if the schema allows no other', () => {
    const status = { enum: [422] };
    const schema = { required: ['status', 'error'], properties: { ...shape.properties, status } };
    const message = 'n must be a number';
    const example = { status: 422, error: { message: 'a is missing' } };
    expect(reject({ schema, example }, true)).toEqual({ status: 422, error: { message } });
    expect(reject({ schema, example }, false)).toEqual({ status: 422, error: { message } });
  });

  test('is a body with a text of its own, if it has one', () => {
    const schema = { properties: { message: text, errors: { type: 'array', items: item } } };
    expect(reject({ schema }, true)).toEqual({ message: 'n must be a number' });
  });
});
