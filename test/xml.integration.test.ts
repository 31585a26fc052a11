import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleRequest } from '../mock/sample-request.ts';
import { startContractMock } from '../mock/start-contract-mock.ts';
import { describeOperations } from '../toolkit/emit/operations.ts';
import { xmlPets } from './fixtures/xml-pets.ts';

// If these fail, a client that speaks XML builds against a mock that forgets what it sends, or accepts what the service rejects.

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly accept?: string;
}

describe.each([
  { name: 'JSON and XML', mediaTypes: ['application/json', 'application/xml'] },
  { name: 'XML alone', mediaTypes: ['application/xml'] },
])('a mock of a contract with $name', ({ mediaTypes }) => {
  const contract = xmlPets(...mediaTypes);
  const operations = describeOperations(contract as never);
  const usual = mediaTypes[0] ?? '';
  let mock: Awaited<ReturnType<typeof startContractMock>>;
  beforeAll(async () => {
    const logger = pino({ level: 'silent' });
    mock = await startContractMock({ contract, operations, logger, port: 0, host: '127.0.0.1', state: {} });
  });
  afterAll(() => mock.close());

  const ask = async (path: string, { method = 'GET', body, accept = 'application/xml' }: Sent = {}) => {
    const headers = { accept, ...(body !== undefined && { 'content-type': 'application/xml; charset=utf-8' }) };
    const answer = await fetch(mock.origin + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    return { status: answer.status, type: answer.headers.get('content-type'), text: text.replace(/^<\?xml.*\n/, '') };
  };
  const add = (body: string, accept?: string) =>
    ask('/pets', { method: 'POST', body, ...(accept !== undefined && { accept }) });

  test('a pet that is sent as XML is stored, shown, listed, changed and removed', async () => {
    const rex = '<name>Rex</name><age>3</age><photoUrls><photoUrl>a</photoUrl></photoUrls><tag>b</tag><tag>c</tag>';
    const shown = `<pet id="2">${rex}</pet>`;
    expect(await add(`<pet>${rex}</pet>`)).toEqual({ status: 201, type: 'application/xml', text: shown });
    expect(await ask('/pets/2')).toEqual({ status: 200, type: 'application/xml', text: shown });
    expect((await ask('/pets')).text).toMatch(new RegExp(`^<root><pet id="1">.*</pet>${shown}</root>$`));
    const change = { method: 'PUT', body: '<pet><name>Max</name><photoUrls/></pet>' };
    expect(await ask('/pets/2', change)).toMatchObject({ status: 200 });
    expect((await ask('/pets/2')).text).toBe('<pet id="2"><name>Max</name><photoUrls></photoUrls></pet>');
    expect(await ask('/pets/2', { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await ask('/pets/2')).toEqual({
      status: 404,
      type: 'application/xml',
      text: '<problem><message>no pet has the id 2</message><code>404</code></problem>',
    });
  });

  test.each([
    {
      name: 'breaks the schema',
      body: '<pet><name>a</name><age>old</age><photoUrls/></pet>',
      message: 'age must be an integer, not &quot;old&quot;',
    },
    { name: 'lacks a member', body: '<pet><photoUrls/></pet>', message: 'name is required' },
    {
      name: 'has an unknown member',
      body: '<pet><name>a</name><photoUrls/><colour>red</colour></pet>',
      message: expect.stringMatching(/^colour is not known/),
    },
    {
      name: 'is not XML',
      body: '<pet>\n<name>',
      message: 'the body is not valid XML, see line 2 column 6: unclosed tag: name',
    },
  ])('a body that $name is answered with the documented 400, in XML', async ({ body, message }) => {
    const { text, ...answer } = await add(body);
    expect(answer).toEqual({ status: 400, type: 'application/xml' });
    expect(/<message>(.*)<\/message>/.exec(text)?.[1]).toEqual(message);
  });

  test('the usual type answers clients that accept any', async () => {
    const { type } = await add('<pet><name>a</name><photoUrls/></pet>', '*/*');
    expect(type).toBe(usual);
    expect(await add('<pet/>', '*/*')).toMatchObject({ status: 400, type: usual });
  });

  test('the sample of an operation is a request that it accepts', async () => {
    const { body = '', headers } = sampleRequest(contract, operations.addPet as never);
    const answer = await fetch(`${mock.origin}/pets`, { method: 'POST', headers, body });
    expect([headers['Content-Type'], answer.status]).toEqual([usual, 201]);
  });
});
