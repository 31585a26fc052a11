import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { FaultClass } from '../score.ts';

/** A request to the API, as the first account with its CSRF token unless it names others. */
export interface Ask {
  readonly as?: 'first' | 'nurse' | 'second' | 'expired' | 'nobody';
  /** A value that is sent as JSON. */
  readonly body?: unknown;
  /** A body as it is, instead. */
  readonly text?: string;
  /** More headers, or `undefined` for one that is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface Reply {
  readonly status: number;
  /** All values of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
}

export type Send = (method: string, path: string, ask?: Ask) => Promise<Reply>;

export interface Fault {
  readonly id: string;
  /** A: any answer. B: HTTP semantics. C: validation of requests. D: credentials and access. E: lists. F: state. */
  readonly class: FaultClass;
  /** An operation of the contract, or `*`. */
  readonly operation: string;
  /** Other operations whose answers the fault changes, or whose requests bring the state about. */
  readonly also?: readonly string[];
  /** The sentence that is broken. */
  readonly breaks: string;
  /** Sends a few requests, and returns a value that a faulty server changes. */
  readonly prove: (send: Send) => Promise<unknown>;
}

const credentials = JSON.parse(readFileSync(join(import.meta.dirname, 'credentials.json'), 'utf8'));

export function createSend(url: string): Send {
  return (method, path, { as = 'first', body, text, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
      const own = credentials[as];
      const all = {
        ...(own && { Cookie: `roster_session=${own.roster_session}`, 'X-Csrf-Token': own['X-Csrf-Token'] }),
        ...(content !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(content),
        }),
        ...headers,
      };
      const given = JSON.parse(JSON.stringify(all));
      const sent = request(url + credentials.basePath + path, { method, headers: given, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const received = response.headersDistinct as Record<string, string[]>;
          resolve({ status: response.statusCode ?? 0, headers: received, text: Buffer.concat(chunks).toString() });
        });
      });
      sent.on('error', reject);
      sent.end(content);
    });
}

const clinic = '/clinics/north-quay';
const shifts = `${clinic}/shifts`;
const day = `${clinic}/staff/NQ101/absences/2026-12-28`;
const pattern = `${clinic}/weekly-pattern`;
const approve = '/swaps/sw_k2m9x4qa/approve';
const patchType = { 'Content-Type': 'application/json-patch+json' };

const shift = (more = {}): Ask => ({ body: { day: '2027-01-04', starts: '07:00', minutes: 480, ward: 'A1', ...more } });
const absence = (more = {}): Ask => ({
  body: { version: 0, lastDay: '2026-12-30', kind: 'holiday', note: 'Skiing', ...more },
});
const patch = (...steps: unknown[]): Ask => ({ body: steps, headers: patchType });
const swap = (more = {}): Ask => ({ body: { with: 'NQ101', reason: 'Exam on that day', pin: '0417', ...more } });
const block = { label: 'Early', starts: '06:00', minutes: 480, demand: [{ skill: 'triage', count: 1 }] };
const week = (more = {}): Ask => ({
  body: { version: 3, validFrom: '2027-01-04', rotation: { kind: 'fixed' }, days: { mon: [block] }, ...more },
});
const monday = (demand: unknown) => week({ days: { mon: [{ ...block, demand: [demand] }] } });

const status =
  (method: string, path: string, ask?: Ask): Fault['prove'] =>
  async (send) =>
    (await send(method, path, ask)).status;
const header =
  (name: string, method: string, path: string, ask?: Ask): Fault['prove'] =>
  async (send) =>
    (await send(method, path, ask)).headers[name];
const read = async (send: Send, method: string, path: string, ask?: Ask) =>
  JSON.parse((await send(method, path, ask)).text);

const keysOf = async (send: Send, path: string, name: string): Promise<readonly unknown[]> =>
  (await read(send, 'GET', path)).data.map((item: Readonly<Record<string, unknown>>) => item[name]);

const getClinics = 'GET /clinics';
const getClinic = 'GET /clinics/{clinic}';
const putPattern = 'PUT /clinics/{clinic}/weekly-pattern';
const getStaff = 'GET /clinics/{clinic}/staff';
const putAbsence = 'PUT /clinics/{clinic}/staff/{staffCode}/absences/{firstDay}';
const getShifts = 'GET /clinics/{clinic}/shifts';
const postShift = 'POST /clinics/{clinic}/shifts';
const patchShifts = 'PATCH /clinics/{clinic}/shifts';
const getShift = 'GET /clinics/{clinic}/shifts/{shiftNo}';
const deleteShift = 'DELETE /clinics/{clinic}/shifts/{shiftNo}';
const postSwap = 'POST /clinics/{clinic}/shifts/{shiftNo}/swaps';
const getSwap = 'GET /swaps/{swapId}';
const postApproval = 'POST /swaps/{swapId}/approve';

export const faults: readonly Fault[] = [
  {
    id: 'login-expiry-seconds',
    class: 'A',
    operation: 'POST /session',
    breaks: '#/components/schemas/Session/properties/expiresAt: a string of format date-time',
    prove: async (send) => {
      const login = { as: 'nobody', body: { email: 'planner@north.example', password: 'blue-kettle-42' } } as const;
      return typeof (await read(send, 'POST', '/session', login)).data.expiresAt;
    },
  },
  {
    id: 'clinics-total-text',
    class: 'A',
    operation: getClinics,
    breaks: '#/components/schemas/PageMeta/properties/total: an integer',
    prove: async (send) => (await read(send, 'GET', '/clinics')).meta.total,
  },
  {
    id: 'empty-contacts-null',
    class: 'A',
    operation: getClinic,
    breaks: '#/components/schemas/Clinic/properties/contacts: an object',
    prove: async (send) => (await read(send, 'GET', '/clinics/muehltor')).data.contacts,
  },
  {
    id: 'length-in-characters',
    class: 'A',
    operation: '*',
    breaks: 'RFC 9110, 8.6: Content-Length is the number of octets, and the answer is the whole JSON of its schema',
    prove: async (send) => (await send('GET', '/clinics/muehltor')).text.endsWith('"2.4"}}'),
  },
  {
    id: 'pattern-without-rotation',
    class: 'A',
    operation: putPattern,
    breaks: '#/components/schemas/WeeklyPattern/required: rotation',
    prove: async (send) => (await read(send, 'PUT', pattern, week())).data.rotation,
  },
  {
    id: 'agency-without-initials',
    class: 'A',
    operation: getStaff,
    breaks: '#/components/schemas/Staff/required: initials',
    prove: async (send) => (await read(send, 'GET', `${clinic}/staff`)).data[3].initials,
  },
  {
    id: 'hours-rounded',
    class: 'A',
    operation: getStaff,
    breaks: '#/components/schemas/Staff/properties/contractHours: a multiple of 0.5',
    prove: async (send) => (await read(send, 'GET', `${clinic}/staff`)).data[0].contractHours,
  },
  {
    id: 'filtered-skills-repeated',
    class: 'A',
    operation: getStaff,
    breaks: '#/components/schemas/Staff/properties/skills: unique items',
    prove: async (send) => (await read(send, 'GET', `${clinic}/staff?skill=theatre`)).data[0].skills,
  },
  {
    id: 'empty-page-500',
    class: 'A',
    operation: getShifts,
    breaks: '#/components/parameters/Page: a page after the last one is empty',
    prove: status('GET', `${shifts}?page=40`),
  },
  {
    id: 'filtered-without-count',
    class: 'A',
    operation: getShifts,
    breaks: '#/components/headers/TotalCount: required',
    prove: header('x-total-count', 'GET', `${shifts}?status=open`),
  },
  {
    id: 'created-without-zone',
    class: 'A',
    operation: '*',
    breaks: '#/components/schemas/Shift/properties/createdAt: format date-time (RFC 3339)',
    prove: async (send) => (await read(send, 'GET', `${shifts}/S-0001`)).data.createdAt.at(-1),
  },
  {
    id: 'payroll-beyond-integers',
    class: 'A',
    operation: '*',
    breaks: '#/components/schemas/Shift/properties/payrollRef: at most 9007199254740991',
    prove: async (send) => (await read(send, 'GET', `${shifts}/S-0003`)).data.payrollRef,
  },
  {
    id: 'conflict-as-html',
    class: 'A',
    operation: postShift,
    breaks: '#/components/responses/Conflict: the media type is application/json',
    prove: header('content-type', 'POST', shifts, shift({ day: '2026-12-01', ward: 'B2', staff: 'NQ102' })),
  },
  {
    id: 'patch-count-missing',
    class: 'A',
    operation: patchShifts,
    breaks: '#/components/schemas/PatchMeta/required: removed',
    prove: async (send) => {
      const step = { op: 'replace', path: '/S-0001/minutes', value: 450 };
      return (await read(send, 'PATCH', shifts, patch(step))).meta;
    },
  },
  {
    id: 'swap-pin-returned',
    class: 'A',
    operation: '*',
    breaks: '#/components/schemas/Swap/properties/pin: writeOnly, never returned',
    prove: async (send) => (await read(send, 'GET', '/swaps/sw_k2m9x4qa')).data.pin,
  },
  {
    id: 'approved-as-accepted',
    class: 'A',
    operation: '*',
    breaks: '#/components/schemas/Swap/properties/status: pending or approved',
    prove: async (send) => (await read(send, 'POST', approve, { body: { version: 1 } })).data.status,
  },
  {
    id: 'swap-not-found-bare',
    class: 'A',
    operation: '*',
    breaks: '#/components/schemas/ErrorEnvelope/required: error and meta',
    prove: async (send) => Object.keys(await read(send, 'GET', '/swaps/sw_00000000')),
  },
  {
    id: 'head-not-allowed',
    class: 'B',
    operation: getShift,
    breaks: 'RFC 9110, 9.1 and 9.3.2: HEAD is supported, and answered with the status of GET',
    prove: status('HEAD', `${shifts}/S-0001`),
  },
  {
    id: 'method-without-allow',
    class: 'B',
    operation: '*',
    breaks: 'RFC 9110, 15.5.6: a 405 has Allow',
    prove: header('allow', 'PUT', '/swaps/sw_k2m9x4qa'),
  },
  {
    id: 'allow-too-much',
    class: 'B',
    operation: '*',
    breaks: 'RFC 9110, 10.2.1: Allow lists the methods that the resource supports',
    prove: header('allow', 'OPTIONS', `${shifts}/S-0001`),
  },
  {
    id: 'no-content-with-length',
    class: 'B',
    operation: deleteShift,
    breaks: 'RFC 9110, 8.6: a 204 has no Content-Length',
    prove: header('content-length', 'DELETE', `${shifts}/S-0003`),
  },
  {
    id: 'etag-of-key-only',
    class: 'B',
    operation: getShift,
    breaks: 'RFC 9110, 8.8.1: a strong validator changes with the representation',
    prove: async (send) => {
      const [etag] = (await send('GET', `${shifts}/S-0001`)).headers.etag ?? [];
      await send('PATCH', shifts, patch({ op: 'replace', path: '/S-0001/minutes', value: 450 }));
      return (await send('GET', `${shifts}/S-0001`, { headers: { 'If-None-Match': etag } })).status;
    },
  },
  {
    id: 'etag-twice',
    class: 'B',
    operation: getClinics,
    breaks: 'RFC 9110, 5.3 and 8.8.3: ETag is one value, and may not be repeated',
    prove: async (send) => (await send('GET', '/clinics')).headers.etag?.length,
  },
  {
    id: 'if-none-match-ignored',
    class: 'B',
    operation: '*',
    breaks: 'RFC 9110, 13.1.2: a GET with the current tag in If-None-Match is answered 304',
    prove: async (send) => {
      const [etag] = (await send('GET', clinic)).headers.etag ?? [];
      return (await send('GET', clinic, { headers: { 'If-None-Match': etag } })).status;
    },
  },
  {
    id: 'delete-without-if-match',
    class: 'B',
    operation: deleteShift,
    breaks: 'RFC 9110, 13.1.1: the method is not performed if If-Match is false',
    prove: status('DELETE', `${shifts}/S-0003`, { headers: { 'If-Match': '"an-older-one"' } }),
  },
  {
    id: 'vary-missing',
    class: 'B',
    operation: getStaff,
    breaks: '#/components/headers/Vary: required; RFC 9110, 12.5.5',
    prove: header('vary', 'GET', `${clinic}/staff`),
  },
  {
    id: 'shift-without-location',
    class: 'B',
    operation: postShift,
    breaks: '#/components/headers/Location: required on 201',
    prove: header('location', 'POST', shifts, shift()),
  },
  {
    id: 'swap-location-without-base',
    class: 'B',
    operation: postSwap,
    breaks: 'RFC 9110, 10.2.2: Location of a 201 refers to the created resource',
    prove: header('location', 'POST', `${shifts}/S-0001/swaps`, swap()),
  },
  {
    id: 'malformed-json-500',
    class: 'B',
    operation: postSwap,
    breaks: '#/components/responses/BadRequest: a malformed request is 400; RFC 9110, 15.5.1',
    prove: status('POST', `${shifts}/S-0001/swaps`, { text: '{"with": "NQ101", ' }),
  },
  {
    id: 'media-type-ignored',
    class: 'B',
    operation: postShift,
    breaks: '#/components/responses/UnsupportedMediaType: a body of another media type is 415',
    prove: status('POST', shifts, { ...shift(), headers: { 'Content-Type': 'text/plain' } }),
  },
  {
    id: 'replaced-as-created',
    class: 'B',
    operation: putAbsence,
    breaks: 'RFC 9110, 9.3.4: 201 only if PUT created the resource; the contract answers 200 to a replacement',
    prove: async (send) => {
      await send('PUT', day, absence());
      return (await send('PUT', day, absence({ version: 1 }))).status;
    },
  },
  {
    id: 'read-counts-version',
    class: 'B',
    operation: getShift,
    breaks: 'RFC 9110, 9.2.1: GET is safe',
    prove: async (send) => {
      await send('GET', `${shifts}/S-0001`);
      return (await read(send, 'GET', `${shifts}/S-0001`)).data.version;
    },
  },
  {
    id: 'patch-in-part',
    class: 'B',
    operation: patchShifts,
    breaks: 'RFC 5789, 2, and the operation: all steps succeed, or none has an effect',
    prove: async (send) => {
      const first = { op: 'replace', path: '/S-0001/minutes', value: 450 };
      await send('PATCH', shifts, patch(first, { op: 'remove', path: '/S-9999' }));
      return (await read(send, 'GET', `${shifts}/S-0001`)).data.minutes;
    },
  },
  {
    id: 'delete-keeps-shift',
    class: 'B',
    operation: deleteShift,
    breaks: 'RFC 9110, 9.3.5: DELETE removes the resource; afterwards it is 404',
    prove: async (send) => {
      await send('DELETE', `${shifts}/S-0003`);
      return (await send('GET', `${shifts}/S-0003`)).status;
    },
  },
  {
    id: 'idempotency-key-ignored',
    class: 'B',
    operation: postShift,
    breaks: 'The operation: a repeated request with the same Idempotency-Key creates nothing',
    prove: async (send) => {
      const ask = { ...shift(), headers: { 'Idempotency-Key': 'first-monday' } };
      const { data } = await read(send, 'POST', shifts, ask);
      return (await read(send, 'POST', shifts, ask)).data.shiftNo === data.shiftNo;
    },
  },
  {
    id: 'conflict-leaves-shift',
    class: 'B',
    operation: postShift,
    breaks: 'RFC 9110, 15.5.10: a request that is answered 409 was not completed; it creates nothing',
    prove: async (send) => {
      await send('POST', shifts, shift({ day: '2026-12-01', ward: 'B2', staff: 'NQ102' }));
      return (await read(send, 'GET', shifts)).meta.total;
    },
  },
  {
    id: 'size-without-maximum',
    class: 'C',
    operation: '*',
    breaks: '#/components/parameters/Size/schema: at most 50',
    prove: status('GET', `${clinic}/staff?size=51`),
  },
  {
    id: 'size-default-of-five',
    class: 'C',
    operation: getShifts,
    breaks: '#/components/parameters/Size/schema: the default is 10',
    prove: async (send) => (await read(send, 'GET', shifts)).data.length,
  },
  {
    id: 'status-filter-unchecked',
    class: 'C',
    operation: getShifts,
    breaks: '#/components/schemas/ShiftStatus: one of the enum',
    prove: status('GET', `${shifts}?status=open,closed`),
  },
  {
    id: 'shift-minutes-any-step',
    class: 'C',
    operation: postShift,
    breaks: '#/components/schemas/NewShift/properties/minutes: a multiple of 15',
    prove: status('POST', shifts, shift({ minutes: 481 })),
  },
  {
    id: 'shift-minutes-below-maximum',
    class: 'C',
    operation: postShift,
    breaks: '#/components/schemas/NewShift/properties/minutes: 720 is valid',
    prove: status('POST', shifts, shift({ minutes: 720 })),
  },
  {
    id: 'shift-skills-repeated',
    class: 'C',
    operation: postShift,
    breaks: '#/components/schemas/NewShift/properties/skills: unique items',
    prove: status('POST', shifts, shift({ skills: ['triage', 'triage'] })),
  },
  {
    id: 'shift-tags-required',
    class: 'C',
    operation: postShift,
    breaks: '#/components/schemas/NewShift/required: tags is optional',
    prove: status('POST', shifts, shift()),
  },
  {
    id: 'shift-rate-without-agency',
    class: 'C',
    operation: postShift,
    breaks: '#/components/schemas/NewShift/dependentRequired: agencyRate needs agency',
    prove: status('POST', shifts, shift({ agencyRate: 41.5 })),
  },
  {
    id: 'shift-tags-ascii',
    class: 'C',
    operation: postShift,
    breaks: '#/components/schemas/Tags: a value is any text',
    prove: status('POST', shifts, shift({ tags: { room: 'Küche' } })),
  },
  {
    id: 'first-day-unchecked',
    class: 'C',
    operation: putAbsence,
    breaks: 'Parameter firstDay: format date, and no date is answered by 400',
    prove: status('PUT', `${clinic}/staff/NQ101/absences/2026-12-3`, absence({ lastDay: '2026-12-31' })),
  },
  {
    id: 'certificate-unanchored',
    class: 'C',
    operation: putAbsence,
    breaks: '#/components/schemas/Certificate/properties/reference: the whole text matches the pattern',
    prove: status(
      'PUT',
      day,
      absence({ kind: 'sick', certificate: { issuedOn: '2026-12-28', reference: 'No. AB-123456' } }),
    ),
  },
  {
    id: 'sick-without-certificate',
    class: 'C',
    operation: putAbsence,
    breaks: '#/components/schemas/NewAbsence/then: a sick absence needs a certificate',
    prove: status('PUT', day, absence({ kind: 'sick' })),
  },
  {
    id: 'absence-kind-forgotten',
    class: 'C',
    operation: putAbsence,
    breaks: '#/components/schemas/AbsenceKind: parental is valid',
    prove: status('PUT', day, absence({ kind: 'parental' })),
  },
  {
    id: 'absence-note-null',
    class: 'C',
    operation: putAbsence,
    breaks: '#/components/schemas/NewAbsence/properties/note: null is valid',
    prove: status('PUT', day, absence({ note: null })),
  },
  {
    id: 'demand-additional',
    class: 'C',
    operation: putPattern,
    breaks: '#/components/schemas/Block/properties/demand/items: no additional properties',
    prove: status('PUT', pattern, monday({ skill: 'triage', count: 1, level: 2 })),
  },
  {
    id: 'demand-count-zero',
    class: 'C',
    operation: putPattern,
    breaks: '#/components/schemas/Block/properties/demand/items/properties/count: at least 1',
    prove: status('PUT', pattern, monday({ skill: 'triage', count: 0 })),
  },
  {
    id: 'rotation-weeks-text',
    class: 'C',
    operation: putPattern,
    breaks: '#/components/schemas/WeeklyPattern/properties/rotation/properties/everyWeeks: an integer',
    prove: status('PUT', pattern, week({ rotation: { kind: 'rolling', everyWeeks: '4' } })),
  },
  {
    id: 'media-type-parameter',
    class: 'C',
    operation: putPattern,
    breaks: 'RFC 9110, 8.3.1: application/json with a charset of UTF-8 is application/json',
    prove: status('PUT', pattern, { ...week(), headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
  },
  {
    id: 'reason-in-bytes',
    class: 'C',
    operation: postSwap,
    breaks: '#/components/schemas/NewSwap/properties/reason: 60 characters, of any number of bytes',
    prove: status('POST', `${shifts}/S-0001/swaps`, swap({ reason: 'ü'.repeat(40) })),
  },
  {
    id: 'approval-without-body',
    class: 'C',
    operation: postApproval,
    breaks: 'The request body is required',
    prove: status('POST', approve),
  },
  {
    id: 'staff-without-session',
    class: 'D',
    operation: getStaff,
    breaks: '#/security: a session is required',
    prove: status('GET', `${clinic}/staff`, { as: 'nobody' }),
  },
  {
    id: 'session-unsigned',
    class: 'D',
    operation: '*',
    breaks: '#/components/responses/Unauthorized: an unknown session is 401',
    prove: status('GET', '/clinics', { headers: { Cookie: `roster_session=${'1'.repeat(24)}.${'0'.repeat(32)}` } }),
  },
  {
    id: 'session-expired',
    class: 'D',
    operation: '*',
    breaks: '#/components/responses/Unauthorized: an expired session is 401',
    prove: status('GET', '/clinics', { as: 'expired' }),
  },
  {
    id: 'session-in-query',
    class: 'D',
    operation: '*',
    breaks: '#/components/securitySchemes/session/in: cookie',
    prove: status('GET', `/clinics?roster_session=${credentials.first.roster_session}`, { as: 'nobody' }),
  },
  {
    id: 'csrf-token-alone',
    class: 'D',
    operation: putPattern,
    breaks: '`security` of the operation: session and csrf, both',
    prove: status('PUT', pattern, { ...week(), headers: { Cookie: undefined } }),
  },
  {
    id: 'csrf-of-any-session',
    class: 'D',
    operation: putAbsence,
    breaks: '#/components/securitySchemes/csrf: the token of the same session',
    prove: status('PUT', day, { ...absence(), headers: { 'X-Csrf-Token': credentials.second['X-Csrf-Token'] } }),
  },
  {
    id: 'delete-without-csrf',
    class: 'D',
    operation: deleteShift,
    breaks: '`security` of the operation: session and csrf, both',
    prove: status('DELETE', `${shifts}/S-0003`, { headers: { 'X-Csrf-Token': undefined } }),
  },
  {
    id: 'no-challenge',
    class: 'D',
    operation: getSwap,
    breaks: 'RFC 9110, 15.5.2: a 401 has WWW-Authenticate; #/components/responses/Unauthorized',
    prove: header('www-authenticate', 'GET', '/swaps/sw_k2m9x4qa', { as: 'nobody' }),
  },
  {
    id: 'anonymous-forbidden',
    class: 'D',
    operation: patchShifts,
    breaks: '#/info/description: without a valid session the answer is 401',
    prove: status('PATCH', shifts, { ...patch({ op: 'remove', path: '/S-0003' }), as: 'nobody' }),
  },
  {
    id: 'nurse-approves',
    class: 'D',
    operation: postApproval,
    breaks: '`security` of the operation: the role planner',
    prove: status('POST', approve, { as: 'nurse', body: { version: 1 } }),
  },
  {
    id: 'nurse-without-swaps',
    class: 'D',
    operation: postSwap,
    breaks: '`security` of the operation: the roles planner and nurse',
    prove: status('POST', `${shifts}/S-0001/swaps`, { ...swap(), as: 'nurse' }),
  },
  {
    id: 'foreign-clinic-forbidden',
    class: 'D',
    operation: '*',
    breaks: '#/info/description: an object of another trust is 404',
    prove: status('GET', '/clinics/harbour-view'),
  },
  {
    id: 'foreign-clinic-found',
    class: 'D',
    operation: getClinics,
    breaks: '#/info/description: an account sees the clinics of its own trust only',
    prove: async (send) => (await read(send, 'GET', '/clinics?q=hove')).data,
  },
  {
    id: 'foreign-clinics-counted',
    class: 'D',
    operation: getClinics,
    breaks: '#/info/description: an account sees the clinics of its own trust only',
    prove: header('x-total-count', 'GET', '/clinics'),
  },
  {
    id: 'foreign-swap-read',
    class: 'D',
    operation: getSwap,
    breaks: '#/info/description: an object of another trust is 404',
    prove: status('GET', '/swaps/sw_h5v1c6nb'),
  },
  {
    id: 'foreign-shift-deleted',
    class: 'D',
    operation: deleteShift,
    breaks: '#/info/description: an object of another trust is 404',
    prove: status('DELETE', '/clinics/harbour-view/shifts/S-0015'),
  },
  {
    id: 'shift-of-any-clinic',
    class: 'D',
    operation: getShift,
    breaks: '#/components/responses/NotFound: the clinic has no such shift',
    prove: status('GET', `${shifts}/S-0014`),
  },
  {
    id: 'shift-clinic-from-body',
    class: 'D',
    operation: postShift,
    breaks: '#/components/schemas/NewShift/additionalProperties: false; the clinic is the one of the path',
    prove: status('POST', shifts, shift({ clinic: 'harbour-view', ward: 'H1' })),
  },
  {
    id: 'shift-pages-overlap',
    class: 'E',
    operation: getShifts,
    breaks: '#/components/parameters/Size: the objects on a page, so the second page begins after `size` of them',
    prove: async (send) => [
      await keysOf(send, `${shifts}?size=4`, 'shiftNo'),
      await keysOf(send, `${shifts}?size=4&page=2`, 'shiftNo'),
    ],
  },
  {
    id: 'to-exclusive',
    class: 'E',
    operation: getShifts,
    breaks: 'Parameter to: the shifts of the last day are listed too',
    prove: (send) => keysOf(send, `${shifts}?to=2026-12-03`, 'shiftNo'),
  },
  {
    id: 'status-first-only',
    class: 'E',
    operation: getShifts,
    breaks: 'Parameter status: one or more of the states',
    prove: async (send) => (await read(send, 'GET', `${shifts}?status=open,assigned`)).meta.total,
  },
  {
    id: 'order-descending-ignored',
    class: 'E',
    operation: getShifts,
    breaks: 'Parameter order: -day is from the last day to the first',
    prove: (send) => keysOf(send, `${shifts}?order=-day`, 'day'),
  },
  {
    id: 'staff-total-of-page',
    class: 'E',
    operation: getStaff,
    breaks: '#/components/headers/TotalCount and `meta.total`: the number of objects that the list has on all pages',
    prove: async (send) => (await read(send, 'GET', `${clinic}/staff?size=3`)).meta.total,
  },
  {
    id: 'last-page-withheld',
    class: 'E',
    operation: getStaff,
    breaks: '#/components/parameters/Page: only a page after the last one is empty',
    prove: (send) => keysOf(send, `${clinic}/staff?size=3&page=2`, 'code'),
  },
  {
    id: 'staff-filtered-after-paging',
    class: 'E',
    operation: getStaff,
    breaks: '#/components/parameters/Page and parameter skill: a page of the staff with this skill',
    prove: (send) => keysOf(send, `${clinic}/staff?skill=paediatrics&size=2`, 'code'),
  },
  {
    id: 'clinic-count-unfiltered',
    class: 'E',
    operation: getClinics,
    breaks: '#/components/headers/TotalCount: the same number as `meta.total`',
    prove: header('x-total-count', 'GET', '/clinics?q=york'),
  },
  {
    id: 'city-not-searched',
    class: 'E',
    operation: getClinics,
    breaks: 'Parameter q: part of the name or of the city',
    prove: (send) => keysOf(send, '/clinics?q=leeds', 'slug'),
  },
  {
    id: 'login-ends-others',
    class: 'F',
    operation: 'POST /session',
    also: ['*'],
    breaks: 'The operation: other sessions of the account go on',
    prove: async (send) => {
      await send('POST', '/session', {
        as: 'nobody',
        body: { email: 'planner@north.example', password: 'blue-kettle-42' },
      });
      return (await send('GET', '/clinics')).status;
    },
  },
  {
    id: 'older-pattern-version',
    class: 'F',
    operation: putPattern,
    also: [getClinic],
    breaks: '#/info/description: 409 if `version` is not the current one',
    prove: async (send) => {
      await send('PUT', pattern, week());
      return (await send('PUT', pattern, week({ validFrom: '2027-02-01' }))).status;
    },
  },
  {
    id: 'pattern-keeps-days',
    class: 'F',
    operation: putPattern,
    also: [getClinic],
    breaks: 'The operation: the whole pattern is replaced; RFC 9110, 9.3.4',
    prove: async (send) => {
      await send('PUT', pattern, week());
      return Object.keys((await read(send, 'GET', clinic)).data.weeklyPattern.days);
    },
  },
  {
    id: 'filter-empties-staff',
    class: 'F',
    operation: getStaff,
    also: [getClinics, putAbsence, postShift, patchShifts, postSwap],
    breaks: 'RFC 9110, 9.2.1: GET is safe',
    prove: async (send) => {
      await send('GET', `${clinic}/staff?skill=theatre`);
      return keysOf(send, `${clinic}/staff`, 'code');
    },
  },
  {
    id: 'absence-replaces-others',
    class: 'F',
    operation: putAbsence,
    also: [getStaff],
    breaks: 'The operation: one absence is recorded or replaced; RFC 9110, 9.3.4: PUT changes the target resource',
    prove: async (send) => {
      await send('PUT', `${clinic}/staff/NQ102/absences/2027-02-01`, absence({ lastDay: '2027-02-05' }));
      return Object.keys((await read(send, 'GET', `${clinic}/staff`)).data[1].absences);
    },
  },
  {
    id: 'absence-if-none-match-ignored',
    class: 'F',
    operation: putAbsence,
    also: [getStaff],
    breaks: 'RFC 9110, 13.1.2: with `If-None-Match: *` an existing resource is not replaced, but answered by 412',
    prove: async (send) => {
      await send('PUT', day, absence());
      return (await send('PUT', day, { ...absence({ version: 1 }), headers: { 'If-None-Match': '*' } })).status;
    },
  },
  {
    id: 'created-tags-lost',
    class: 'F',
    operation: postShift,
    also: [getShift, getShifts, patchShifts],
    breaks: 'RFC 9110, 15.3.2: 201 means that the shift was created; #/components/schemas/NewShift/properties/tags',
    prove: async (send) => {
      const { data } = await read(send, 'POST', shifts, shift({ tags: { room: 'K' } }));
      return (await read(send, 'GET', `${shifts}/${data.shiftNo}`)).data.tags;
    },
  },
  {
    id: 'replay-shows-present',
    class: 'F',
    operation: postShift,
    breaks: 'The operation: a repeated request with the same Idempotency-Key is answered as the first one was',
    prove: async (send) => {
      const ask = { ...shift(), headers: { 'Idempotency-Key': 'first-monday' } };
      const { data } = await read(send, 'POST', shifts, ask);
      await send('PATCH', shifts, patch({ op: 'replace', path: `/${data.shiftNo}/minutes`, value: 450 }));
      return (await read(send, 'POST', shifts, ask)).data.minutes;
    },
  },
  {
    id: 'patched-start-lost',
    class: 'F',
    operation: patchShifts,
    also: [getShift, getShifts],
    breaks: 'RFC 6902, 4.3, and the operation: a replaced member has its new value',
    prove: async (send) => {
      await send('PATCH', shifts, patch({ op: 'replace', path: '/S-0001/starts', value: '09:30' }));
      return (await read(send, 'GET', `${shifts}/S-0001`)).data.starts;
    },
  },
  {
    id: 'patch-keeps-version',
    class: 'F',
    operation: patchShifts,
    also: [getShift, getShifts, deleteShift],
    breaks: '#/components/schemas/Version: counts the changes of an object',
    prove: async (send) => {
      await send('PATCH', shifts, patch({ op: 'replace', path: '/S-0003/minutes', value: 450 }));
      return (await send('DELETE', `${shifts}/S-0003?version=1`)).status;
    },
  },
  {
    id: 'deleted-shift-counted',
    class: 'F',
    operation: deleteShift,
    also: [getClinics],
    breaks: '#/components/schemas/ClinicSummary/properties/openShifts: the shifts without a staff member',
    prove: async (send) => {
      await send('DELETE', `${shifts}/S-0003`);
      return (await read(send, 'GET', '/clinics')).data[1].openShifts;
    },
  },
  {
    id: 'rejected-swap-marks-shift',
    class: 'F',
    operation: postSwap,
    also: [getShift, getShifts, patchShifts, deleteShift],
    breaks: '#/info/description: a request that breaks a rule is 422; it has no effect on the shift',
    prove: async (send) => {
      await send('POST', `${shifts}/S-0001/swaps`, swap({ with: 'HA101' }));
      return (await read(send, 'GET', `${shifts}/S-0001`)).data.status;
    },
  },
  {
    id: 'approved-shift-keeps-staff',
    class: 'F',
    operation: postApproval,
    also: [getShift, getShifts, postShift, patchShifts, postSwap],
    breaks: 'The operation: the shift gets its new staff member',
    prove: async (send) => {
      await send('POST', approve, { body: { version: 1 } });
      return (await read(send, 'GET', `${shifts}/S-0002`)).data.staff;
    },
  },
  {
    id: 'approval-comment-lost',
    class: 'F',
    operation: postApproval,
    also: [getSwap],
    breaks: '#/components/schemas/Approval/properties/comment: the comment of the swap, as it was answered',
    prove: async (send) => {
      await send('POST', approve, { body: { version: 1, comment: 'Covered' } });
      return (await read(send, 'GET', '/swaps/sw_k2m9x4qa')).data.comment;
    },
  },
];

/** Whether the fault shows in answers that depend on earlier requests or on several objects. */
export const isStateful = (id: string): boolean => faults.some((fault) => fault.id === id && fault.class >= 'E');
