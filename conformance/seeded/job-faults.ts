// Jobs of two APIs, and faults of theirs: the library's scans are read beneath the path that starts them, the depot's counts by a `Location`.
import { isObject, type JsonObject } from '../contract/document.ts';
import { withEdits } from './apis.ts';
import { by, type Instead, type SeededFault, withBody } from './faults.ts';
import type { Handler } from './serve.ts';
import type { ContractEdit } from './validate.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const rejected = { $ref: '#/components/responses/Refused' };
const newScan = {
  ...{ type: 'object', required: ['title', 'dpi'], additionalProperties: false },
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 },
    dpi: { type: 'integer', minimum: 100, maximum: 1_200 },
  },
};
const scan = {
  ...{ type: 'object', required: ['id', 'title', 'dpi', 'state', 'until'] },
  properties: {
    ...newScan.properties,
    id: { type: 'string', pattern: '^s[0-9]+$' },
    state: { type: 'string', enum: ['queued', 'scanning', 'done', 'failed'] },
    until: { type: 'string', format: 'date-time' },
  },
};
const nameOf = (name: string, schema: object) => [{ name, in: 'path', required: true, schema }];

/** The contract of each API with its jobs. */
export const jobEdits: Readonly<Record<'library' | 'depot', readonly ContractEdit[]>> = {
  library: [
    {
      at: '#/paths/~1scans',
      to: {
        post: {
          operationId: 'startScan',
          requestBody: { required: true, content: json(newScan) },
          responses: { 202: { description: 'Started', content: json(scan) }, 400: rejected },
        },
      },
    },
    {
      at: '#/paths/~1scans~1{scanId}',
      to: {
        parameters: nameOf('scanId', { type: 'string', pattern: '^s[0-9]+$' }),
        get: {
          operationId: 'readScan',
          'x-state': {
            ...{ field: '/state', deadline: '/until', every: 'PT1S' },
            next: { queued: ['scanning', 'failed'], scanning: ['done', 'failed'] },
          },
          responses: { 200: { description: 'The scan', content: json(scan) }, 400: rejected, 404: rejected },
        },
      },
    },
  ],
  depot: [
    {
      at: '#/paths/~1depots~1{depot_id}~1counts',
      to: {
        parameters: [{ $ref: '#/components/parameters/depot_id' }],
        post: {
          operationId: 'startCount',
          security: [{ Session: [], Desk: ['parcels:write'] }],
          responses: {
            202: { description: 'Started', headers: { Location: { required: true, schema: { type: 'string' } } } },
            ...{ 404: rejected, 422: rejected },
          },
        },
      },
    },
    {
      at: '#/paths/~1counts~1{count_id}',
      to: {
        parameters: nameOf('count_id', { type: 'integer', minimum: 1_000 }),
        get: {
          operationId: 'readCount',
          'x-state': {
            ...{ field: '/progress/phase', done: '/progress/over', deadline: '/due' },
            next: { waiting: ['counting'], counting: ['closed', 'waiting'] },
          },
          responses: {
            200: {
              description: 'The count',
              content: json({
                ...{ type: 'object', required: ['count_id', 'due', 'progress'] },
                properties: {
                  count_id: { type: 'integer' },
                  due: { type: 'string', format: 'date-time' },
                  missing: { type: 'integer' },
                  progress: {
                    ...{ type: 'object', required: ['phase', 'over'] },
                    properties: {
                      phase: { type: 'string', enum: ['waiting', 'counting', 'checking', 'closed'] },
                      ...{ over: { type: 'boolean' }, sum: { type: 'integer' } },
                    },
                  },
                },
              }),
            },
            ...{ 404: rejected, 422: rejected },
          },
        },
      },
    },
  ],
};

/** Changes the answers to later reads of one job. */
export function inRead(change: (object: JsonObject, reads: number) => JsonObject): Instead {
  const ofServers = new WeakMap<Handler, Map<string, number>>();
  return async (request, handle) => {
    const answer = await handle(request);
    if (answer.status !== 200 || !isObject(answer.body)) return answer;
    const reads = ofServers.get(handle) ?? new Map<string, number>();
    ofServers.set(handle, reads);
    const count = (reads.get(request.path) ?? 0) + 1;
    reads.set(request.path, count);
    return { ...answer, body: change(answer.body, count) };
  };
}

const scanPath = '#/paths/~1scans~1{scanId}/get/x-state';
const countPath = '#/paths/~1counts~1{count_id}/get';
const [ofScan, ofCount] = [/^GET \/v2\/scans\/s\d+$/, /^GET \/api\/counts\/\d+$/];

const library: readonly Omit<SeededFault, 'api' | 'amend' | 'edits'>[] = [
  {
    ...{ name: 'a scan that is done is scanned again', at: ofScan },
    instead: inRead((body, reads) => (reads > 3 ? { ...body, state: 'scanning' } : body)),
    caughtBy: by('job-regress', 'readScan', `${scanPath}/next`, 'next'),
  },
  {
    ...{ name: 'a scan waits for ever', at: ofScan },
    change: withBody((body) => ({ ...body, state: 'queued' })),
    caughtBy: by('job-stuck', 'readScan', `${scanPath}/deadline`, 'deadline'),
  },
];

const depot: readonly Omit<SeededFault, 'api' | 'amend' | 'edits'>[] = [
  {
    ...{ name: 'a count that is over is not over', at: ofCount },
    instead: inRead((body, reads) => {
      const progress = { phase: 'closed', over: reads < 5 };
      return reads > 3 ? { ...body, progress } : body;
    }),
    caughtBy: by('job-regress', 'readCount', `${countPath}/x-state/done`, 'done'),
  },
  {
    ...{ name: 'the result of a count comes after its end', at: ofCount },
    instead: inRead((body, reads) => (reads > 3 ? { ...body, missing: reads > 4 ? 3 : 0 } : body)),
    caughtBy: by(
      'job-regress',
      'readCount',
      `${countPath}/responses/200/content/application~1json/schema/properties/missing`,
      'end',
    ),
    severity: 'suspect',
  },
  {
    ...{ name: 'a count is never over', at: ofCount },
    change: withBody((body) => ({ ...body, progress: { phase: 'closed', over: false } })),
    caughtBy: by('job-stuck', 'readCount', `${countPath}/x-state/deadline`, 'deadline'),
  },
];

export const jobFaults: readonly SeededFault[] = [
  ...library.map((row) => ({ ...row, api: 'library' as const })),
  ...depot.map((row) => ({ ...row, api: 'depot' as const })),
].map((row) => ({
  ...row,
  edits: jobEdits[row.api],
  amend: withEdits(row.api, jobEdits[row.api]),
  options: { maxWaitMs: 60_000 },
}));
