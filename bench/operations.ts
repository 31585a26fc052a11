import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { createRuntime, type Runtime } from '../runtime/create-runtime.ts';
import type { Exchange } from '../runtime/exchange.ts';
import type { Operation } from '../runtime/operation.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';

const sizes = [10, 100, 400] as const;
const rounds = 15;
const requestsPerRound = 20_000;
/** So many of one size before the next has its turn: what else the machine does falls on all. */
const requestsPerTurn = 1000;

/**
 * Which operations are asked for: always the one that stands last in the contract, or one after the other. The latter is printed, not
 * promised: the checks of 400 operations are 1,200 functions, each called so much less often, and do not fit into a processor's cache.
 */
const walks = {
  'the last operation': { choose: (_: number, size: number) => size - 1, target: 1.1 },
  'all operations in turn': { choose: (request: number, size: number) => request % size, target: undefined },
} as const;
type Walk = keyof typeof walks;

const parameters = [
  { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^[a-z0-9]{1,30}$' } },
  { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 300 } },
  { name: 'sort', in: 'query', required: false, schema: { type: 'string', enum: ['name', '-name'] } },
] as const;

/** Without HTTP, which would hide it: a request as Node hands it on, to the bytes of its answer. The smallest contract is the peer of the larger. */
export const operations: Question = {
  asks: `Does the way of a request through the runtime take the same time whether a contract has ${sizes.join(', ').replace(/, (\d+)$/, ' or $1')} operations?`,
  async run(progress) {
    const served = sizes.map((size) => ({ size, runtime: serve(size) }));
    const times = served.flatMap(({ size, runtime }) =>
      (Object.keys(walks) as Walk[]).map((walk) => ({
        name: `${walk} of ${size}`,
        size,
        walk,
        runtime,
        requests: Array.from({ length: requestsPerTurn }, (_, index) => makeRequest(walks[walk].choose(index, size))),
        milliseconds: [] as number[],
      })),
    );
    // Three rounds more than counted warm all of them up.
    for (let round = -3; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}`);
      const spent = times.map(() => 0);
      for (let turn = 0; turn < requestsPerRound / requestsPerTurn; turn += 1)
        for (const [index, { runtime, requests }] of times.entries()) {
          const began = performance.now();
          for (const request of requests) await answer(runtime, request);
          spent[index] = (spent[index] ?? 0) + performance.now() - began;
        }
      if (round >= 0) for (const [index, { milliseconds }] of times.entries()) milliseconds.push(spent[index] ?? 0);
    }
    const ratios = times
      .filter(({ size }) => size !== sizes[0])
      .map(({ name, walk, milliseconds }) => {
        const least = times.find((one) => one.walk === walk && one.size === sizes[0])?.milliseconds ?? [];
        const ratio = median(milliseconds.map((ms, round) => ms / (least[round] ?? Number.NaN)));
        const { target } = walks[walk];
        return { name: `${name} over ${sizes[0]}`, ratio, ...(target === undefined ? {} : { target }) };
      });
    const rows = times.map(({ name, milliseconds }) => ({
      name: `${name}: ms for ${requestsPerRound.toLocaleString('en')} requests`,
      milliseconds,
    }));
    return { rows, ratios, versions: await versionsOf(['ajv'], 'runtime') };
  },
};

/** @throws Error when an operation is not reached */
async function answer({ handle }: Runtime<Exchange<never>>, request: IncomingMessage): Promise<void> {
  let sent: unknown;
  const response = { statusCode: 0, setHeader: () => undefined, end: (content: unknown) => (sent = content) };
  await handle({ request, requestId: 'bench' }, response as unknown as ServerResponse);
  if (response.statusCode !== 200 || sent !== '50')
    throw new Error(`${request.url} is answered with ${response.statusCode}`);
}

function makeRequest(number: number): IncomingMessage {
  const url = `/v1/things${number}/abc${number}?limit=50&sort=name`;
  return Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url });
}

/** A contract of so many operations that anybody may call, each on a path of its own. */
function serve(size: number): Runtime<Exchange<never>> {
  const names = Array.from({ length: size }, (_, number) => `/things${number}/{id}`);
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    servers: [{ url: 'http://localhost/v1' }],
    paths: Object.fromEntries(
      names.map((path) => [path, { get: { parameters, responses: { 200: { description: '' } } } }]),
    ),
  };
  const table = Object.fromEntries(names.map((path, number) => [`getThing${number}`, describe(path, number)]));
  const handlers = Object.fromEntries(
    Object.keys(table).map((id) => [
      id,
      ({ query }: { readonly query: Readonly<Record<string, unknown>> }) => ({ status: 200, body: query.limit }),
    ]),
  );
  return createRuntime({ contract, operations: table, handlers, security: {}, logger: { error: throwLogged } });
}

function describe(path: string, number: number): Operation {
  const pointer = `#/paths/${path.replaceAll('/', '~1')}/get`;
  return {
    operationId: `getThing${number}`,
    method: 'get',
    basePath: '/v1',
    path,
    pointer,
    parameters: parameters.map(({ name, in: place, required }, index) => ({
      name,
      in: place,
      required,
      style: place === 'path' ? 'simple' : 'form',
      explode: place === 'query',
      allowEmptyValue: false,
      schema: `${pointer}/parameters/${index}/schema`,
    })),
    requestBody: null,
    security: [],
    extensions: {},
  };
}

function throwLogged(context: unknown, text?: string): never {
  throw new Error(`${text}: ${JSON.stringify(context)}`);
}
