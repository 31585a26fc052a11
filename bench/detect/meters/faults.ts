import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { FaultClass } from '../score.ts';
import credentials from './credentials.json' with { type: 'json' };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a proof reads what its own requests lead to.
  readonly json: any;
}

export interface Message {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, another value as JSON. */
  readonly body?: unknown;
}

/** Without headers of its own a request has the API key of the first account. */
export type Send = (method: string, target: string, message?: Message) => Promise<Answer>;

export interface Fault {
  readonly id: string;
  readonly class: FaultClass;
  /** Method and path of the contract, or `*` for all. */
  readonly operation: string;
  /** Other operations whose answers the fault changes, or whose requests bring the state about. */
  readonly also?: readonly string[];
  /** The broken sentence, with its pointer into the contract or its section of an RFC. */
  readonly breaks: string;
  /** A value that differs between the clean and the faulty server, each freshly started. */
  readonly prove: (send: Send) => Promise<unknown>;
}

export function createSend(url: string): Send {
  return (method, target, { headers = key(first.api_key), body } = {}) =>
    new Promise((resolve, reject) => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const type: Record<string, string> = text === undefined ? {} : { 'Content-Type': 'application/json' };
      const length: Record<string, string> =
        text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
      const options = { method, agent: oneConnection, headers: { ...type, ...length, ...headers } };
      const sent = request(`${url}${credentials.base_path}${target}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const read = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: read, json: parse(read) });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A connection for each request: a faulty length must not reach the next answer.
const oneConnection = new Agent({ keepAlive: false });

const { first, second } = credentials;
const key = (value: string) => ({ 'X-Api-Key': value });
const basic = (name: string, password: string, scheme = 'Basic') => ({
  Authorization: `${scheme} ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const both = { ...key(first.api_key), ...basic(first.username, first.password) };
const site = { name: 'Mill Lane depot', timezone: 'UTC' };
const flat = { kind: 'flat', currency: 'EUR', price_per_kwh: '0.3150' };
const band = { from_hour: 0, to_hour: 6, price_per_kwh: '0.2100' };
const timeOfUse = (bands: readonly unknown[]) => ({ kind: 'time_of_use', currency: 'EUR', bands });
const meter = { site_id: 1, serial: 'EL-004711', kind: 'electricity' };
const reading = { taken_at: '2026-05-01T00:00:00+02:00', kwh: 120.5 };
const readings = '/sites/1/meters/1/readings';

const status = async (answer: Promise<Answer>) => (await answer).status;
const upload = (send: Send, ...items: readonly unknown[]) => send('POST', readings, { body: { readings: items } });

async function waitForReport(send: Send, target: string): Promise<Answer> {
  const answer = await send('GET', target);
  return answer.json.status === 'done' ? answer : waitForReport(send, target);
}

const getSites = 'GET /sites';
const getSite = 'GET /sites/{site_id}';
const putSite = 'PUT /sites/{site_id}';
const deleteSite = 'DELETE /sites/{site_id}';
const getTariff = 'GET /sites/{site_id}/tariff';
const putTariff = 'PUT /sites/{site_id}/tariff';
const getReadings = 'GET /sites/{site_id}/meters/{meter_id}/readings';
const postReadings = 'POST /sites/{site_id}/meters/{meter_id}/readings';

/** The ids, or instants, on two pages. */
async function walk(send: Send, target: string): Promise<readonly unknown[]> {
  const pages = [await send('GET', target), await send('GET', `${target}&page=2`)];
  return pages.map(({ json }) => json.map((item: { id?: number; taken_at?: string }) => item.id ?? item.taken_at));
}

export const faults: readonly Fault[] = [
  // A: any answer
  {
    id: 'created-as-200',
    class: 'A',
    operation: 'POST /sites',
    breaks: 'The only success is 201: /paths/~1sites/post/responses.',
    prove: (send) => status(send('POST', '/sites', { body: site })),
  },
  {
    id: 'sites-without-total',
    class: 'A',
    operation: 'GET /sites',
    breaks: 'X-Total-Count is required: /components/headers/TotalCount/required.',
    prove: async (send) => (await send('GET', '/sites')).headers['x-total-count'],
  },
  {
    id: 'total-as-range',
    class: 'A',
    operation: 'GET /alerts',
    breaks: 'X-Total-Count is an integer: /components/headers/TotalCount/schema/type.',
    prove: async (send) => (await send('GET', '/alerts')).headers['x-total-count'],
  },
  {
    id: 'multiplier-as-string',
    class: 'A',
    operation: '*',
    breaks: 'The multiplier of a meter is a number: /components/schemas/Meter/properties/multiplier/type.',
    prove: async (send) => (await send('GET', '/meters')).json[0].multiplier,
  },
  {
    id: 'nulls-omitted',
    class: 'A',
    operation: 'GET /sites',
    breaks: 'Members without a value are null and required: /components/schemas/Site/required.',
    prove: async (send) => Object.keys((await send('GET', '/sites')).json[1]),
  },
  {
    id: 'alert-with-empty-date',
    class: 'A',
    operation: 'GET /alerts',
    breaks: 'resolved_at is a date-time or null: /components/schemas/Alert/properties/resolved_at/format.',
    prove: async (send) => (await send('GET', '/alerts?state=open')).json[0].resolved_at,
  },
  {
    id: 'zero-as-null',
    class: 'A',
    operation: 'GET /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'Energy is a number from 0: /components/schemas/Reading/properties/kwh.',
    prove: async (send) => (await send('GET', readings)).json[2].kwh,
  },
  {
    id: 'kind-renamed',
    class: 'A',
    operation: '*',
    breaks: 'The kind of an indexed tariff is indexed: /components/schemas/IndexedTariff/properties/kind/enum.',
    prove: async (send) => {
      await send('PUT', '/sites/1/tariff', {
        body: { kind: 'indexed', currency: 'GBP', index: 'day_ahead', markup_percent: 4.5 },
      });
      return (await send('GET', '/sites/1/tariff')).json.kind;
    },
  },
  {
    id: 'secret-leaks',
    class: 'A',
    operation: 'GET /sites/{site_id}',
    breaks: 'The secret is never sent: /components/schemas/Webhook/properties/secret/writeOnly.',
    prove: async (send) => (await send('GET', '/sites/1')).json.webhook,
  },
  {
    id: 'csv-media-type',
    class: 'A',
    operation: 'GET /sites/{site_id}/meters/{meter_id}/readings',
    breaks:
      'The second media type is text/csv: /paths/~1sites~1{site_id}~1meters~1{meter_id}~1readings/get/responses/200/content.',
    prove: async (send) =>
      (await send('GET', readings, { headers: { ...key(first.api_key), Accept: 'text/csv' } })).headers['content-type'],
  },
  {
    id: 'length-in-characters',
    class: 'A',
    operation: '*',
    breaks: 'Content-Length is a number of octets: RFC 9110, 8.6.',
    prove: async (send) => (await send('POST', '/sites', { body: { ...site, name: 'Kühlhaus' } })).json?.name,
  },
  {
    id: 'empty-month-null',
    class: 'A',
    operation: 'GET /reports/{report_id}',
    breaks:
      'average_kwh is 0 if the month has no readings: /components/schemas/Report/properties/result/properties/average_kwh.',
    prove: async (send) => {
      const { json } = await send('POST', '/reports', { body: { site_id: 1, month: '2025-01' } });
      return (await waitForReport(send, `/reports/${json.id}`)).json.result;
    },
  },
  {
    id: 'null-note-500',
    class: 'A',
    operation: 'POST /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'A note may be null: /components/schemas/ReadingInput/properties/note/nullable.',
    prove: (send) => status(upload(send, { ...reading, note: null })),
  },
  {
    id: 'page-beyond-500',
    class: 'A',
    operation: 'GET /meters',
    breaks: 'A page after the last is empty: /components/parameters/Page/description.',
    prove: (send) => status(send('GET', '/meters?page=9')),
  },
  {
    id: 'error-body-flat',
    class: 'A',
    operation: 'GET /reports/{report_id}',
    breaks: 'Errors have the member error: /components/schemas/Error/required.',
    prove: async (send) => (await send('GET', '/reports/999')).json,
  },
  {
    id: 'last-reading-empty',
    class: 'A',
    operation: '*',
    breaks:
      'last_reading is null if the meter has no readings: /components/schemas/Meter/properties/last_reading/description.',
    prove: async (send) => (await send('GET', '/meters?ids=2')).json[0].last_reading,
  },
  // B: HTTP semantics
  {
    id: 'head-405',
    class: 'B',
    operation: 'GET /sites/{site_id}/tariff',
    breaks: 'HEAD is answered wherever GET is: /info/description; RFC 9110, 9.1.',
    prove: (send) => status(send('HEAD', '/sites/1/tariff')),
  },
  {
    id: 'head-length-zero',
    class: 'B',
    operation: '*',
    breaks: 'Content-Length of HEAD equals that of GET: RFC 9110, 8.6.',
    prove: async (send) => (await send('HEAD', '/sites/1')).headers['content-length'],
  },
  {
    id: 'allow-missing',
    class: 'B',
    operation: '*',
    breaks: '405 has Allow: RFC 9110, 15.5.6; /info/description.',
    prove: async (send) => (await send('DELETE', '/alerts')).headers.allow,
  },
  {
    id: 'patch-as-put',
    class: 'B',
    operation: 'PUT /sites/{site_id}',
    breaks: 'Methods that are not described are answered 405: /info/description.',
    prove: (send) => status(send('PATCH', '/sites/1', { body: site })),
  },
  {
    id: 'none-match-ignored',
    class: 'B',
    operation: 'GET /sites/{site_id}/tariff',
    breaks: 'The current entity tag in If-None-Match is answered 304: RFC 9110, 13.1.2.',
    prove: async (send) => {
      const { headers } = await send('GET', '/sites/1/tariff');
      const condition = { 'If-None-Match': String(headers.etag) };
      return status(send('GET', '/sites/1/tariff', { headers: { ...key(first.api_key), ...condition } }));
    },
  },
  {
    id: 'if-match-ignored',
    class: 'B',
    operation: 'PUT /sites/{site_id}',
    breaks: 'If-Match without the current entity tag is answered 412: RFC 9110, 13.1.1.',
    prove: async (send) => {
      const headers = { ...key(first.api_key), 'If-Match': '"0000000000000000"' };
      return [
        await status(send('PUT', '/sites/1', { headers, body: site })),
        (await send('GET', '/sites/1')).json.name,
      ];
    },
  },
  {
    id: 'etag-stays',
    class: 'B',
    operation: '*',
    breaks: 'The entity tag changes with every change of the site: /components/headers/ETag; RFC 9110, 8.8.1.',
    prove: async (send) => {
      const before = await send('GET', '/sites/1');
      await send('PUT', '/sites/1', { body: site });
      return (await send('GET', '/sites/1')).headers.etag === before.headers.etag;
    },
  },
  {
    id: 'location-without-base',
    class: 'B',
    operation: 'POST /sites',
    breaks: 'Location is the path of the new resource: RFC 9110, 10.2.2; /components/headers/Location.',
    prove: async (send) => (await send('POST', '/sites', { body: site })).headers.location,
  },
  {
    id: 'media-type-ignored',
    class: 'B',
    operation: '*',
    breaks: 'A body that is not application/json is answered 415: /components/responses/UnsupportedMediaType.',
    prove: (send) => {
      const headers = { ...key(first.api_key), 'Content-Type': 'text/plain' };
      return status(send('POST', '/meters', { headers, body: meter }));
    },
  },
  {
    id: 'malformed-json-500',
    class: 'B',
    operation: '*',
    breaks: 'A malformed body is answered 400: /components/responses/BadRequest; RFC 9110, 15.5.1.',
    prove: (send) => status(send('POST', '/meters', { body: '{"site_id": 1,' })),
  },
  {
    id: 'accept-by-substring',
    class: 'B',
    operation: 'GET /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'Accept counts with its quality values: operation listReadings, description; RFC 9110, 12.4.2.',
    prove: async (send) => {
      const headers = { ...key(first.api_key), Accept: 'application/json, text/csv;q=0.5' };
      return (await send('GET', readings, { headers })).headers['content-type'];
    },
  },
  {
    id: 'alerts-read-acknowledges',
    class: 'B',
    operation: 'GET /alerts',
    breaks: 'Reading an alert does not change its state: operation listAlerts, description; RFC 9110, 9.2.1.',
    prove: async (send) => {
      await send('GET', '/alerts');
      return (await send('GET', '/alerts?state=open')).headers['x-total-count'];
    },
  },
  {
    id: 'bands-appended',
    class: 'B',
    operation: 'PUT /sites/{site_id}/tariff',
    breaks: 'The same PUT twice has the effect of one: RFC 9110, 9.2.2 and 9.3.4.',
    prove: async (send) => {
      await send('PUT', '/sites/4/tariff', { body: timeOfUse([band]) });
      return (await send('PUT', '/sites/4/tariff', { body: timeOfUse([band]) })).json.bands;
    },
  },
  {
    id: 'put-keeps-omitted',
    class: 'B',
    operation: 'PUT /sites/{site_id}',
    breaks: 'Omitted optional members get their defaults: operation replaceSite, description; RFC 9110, 9.3.4.',
    prove: async (send) => (await send('PUT', '/sites/1', { body: site })).json.postcode,
  },
  {
    id: 'retry-after-with-unit',
    class: 'B',
    operation: 'POST /reports',
    breaks: 'Retry-After is a number of seconds: RFC 9110, 10.2.3; operation requestReport, header Retry-After.',
    prove: async (send) =>
      (await send('POST', '/reports', { body: { site_id: 1, month: '2026-03' } })).headers['retry-after'],
  },
  {
    id: 'deleted-site-stays',
    class: 'B',
    operation: 'DELETE /sites/{site_id}',
    breaks: 'After 204 the site is deleted: operation deleteSite; RFC 9110, 9.3.5.',
    prove: async (send) => [
      await status(send('DELETE', '/sites/4', { headers: both })),
      await status(send('GET', '/sites/4')),
    ],
  },
  {
    id: 'upsert-duplicates',
    class: 'B',
    operation: 'POST /meters',
    breaks: 'A meter with a known serial number is updated and keeps its id: operation upsertMeter, description.',
    prove: async (send) => {
      const created = await send('POST', '/meters', { body: meter });
      const updated = await send('POST', '/meters', { body: { ...meter, label: 'Roof' } });
      return created.json.id === updated.json.id;
    },
  },
  {
    id: 'not-modified-without-etag',
    class: 'B',
    operation: '*',
    breaks: '304 has the ETag of 200: RFC 9110, 15.4.5; /components/responses/NotModified/headers/ETag.',
    prove: async (send) => {
      const headers = { ...key(first.api_key), 'If-None-Match': '*' };
      return (await send('GET', '/sites/1', { headers })).headers.etag;
    },
  },
  // C: validation of requests
  {
    id: 'empty-name',
    class: 'C',
    operation: '*',
    breaks: 'A name has at least one character: /components/schemas/SiteInput/properties/name/minLength.',
    prove: (send) => status(send('POST', '/sites', { body: { ...site, name: '' } })),
  },
  {
    id: 'name-in-bytes',
    class: 'C',
    operation: '*',
    breaks: 'maxLength counts characters: /components/schemas/SiteInput/properties/name/maxLength; RFC 8259, 7.',
    prove: (send) => status(send('POST', '/sites', { body: { ...site, name: 'ü'.repeat(40) } })),
  },
  {
    id: 'timezone-forgotten',
    class: 'C',
    operation: '*',
    breaks: 'America/New_York is a timezone: /components/schemas/Timezone/enum/3.',
    prove: (send) => status(send('POST', '/sites', { body: { ...site, timezone: 'America/New_York' } })),
  },
  {
    id: 'postcode-unanchored',
    class: 'C',
    operation: '*',
    breaks: 'A postcode is exactly five digits: /components/schemas/SiteInput/properties/postcode/pattern.',
    prove: (send) => status(send('POST', '/sites', { body: { ...site, postcode: '10117-20' } })),
  },
  {
    id: 'area-zero',
    class: 'C',
    operation: '*',
    breaks: 'An area is above 0: /components/schemas/SiteInput/properties/area_m2/exclusiveMinimum.',
    prove: (send) => status(send('PUT', '/sites/1', { body: { ...site, area_m2: 0 } })),
  },
  {
    id: 'per-page-unbounded',
    class: 'C',
    operation: '*',
    breaks: 'per_page is at most 100: /components/parameters/PerPage/schema/maximum.',
    prove: (send) => status(send('GET', '/sites?per_page=101')),
  },
  {
    id: 'ids-unchecked',
    class: 'C',
    operation: 'GET /meters',
    breaks: 'Each of ids is an Id: operation listMeters, parameter ids, schema/items.',
    prove: (send) => status(send('GET', '/meters?ids=1,x')),
  },
  {
    id: 'batch-id-unchecked',
    class: 'C',
    operation: 'POST /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'X-Batch-Id matches its pattern: operation uploadReadings, parameter X-Batch-Id, schema/pattern.',
    prove: (send) => {
      const headers = { ...key(first.api_key), 'X-Batch-Id': 'Night 42' };
      return status(send('POST', readings, { headers, body: { readings: [reading] } }));
    },
  },
  {
    id: 'since-by-pattern',
    class: 'C',
    operation: 'GET /alerts',
    breaks: 'since is a date: operation listAlerts, parameter since, schema/format; RFC 3339, 5.7.',
    prove: (send) => status(send('GET', '/alerts?since=2026-02-30')),
  },
  {
    id: 'no-readings-accepted',
    class: 'C',
    operation: 'POST /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'A batch has at least one reading: /components/schemas/Batch/properties/readings/minItems.',
    prove: (send) => status(upload(send)),
  },
  {
    id: 'same-readings-accepted',
    class: 'C',
    operation: 'POST /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'The readings of a batch are unique: /components/schemas/Batch/properties/readings/uniqueItems.',
    prove: (send) => status(upload(send, reading, reading)),
  },
  {
    id: 'first-reading-only',
    class: 'C',
    operation: 'POST /sites/{site_id}/meters/{meter_id}/readings',
    breaks:
      'Nothing is stored if one reading is invalid: operation uploadReadings; /components/schemas/Batch/properties/readings/items.',
    prove: (send) => status(upload(send, reading, { taken_at: '2026-05-02T00:00:00Z', kwh: -1 })),
  },
  {
    id: 'band-with-extras',
    class: 'C',
    operation: 'PUT /sites/{site_id}/tariff',
    breaks: 'A band has no other members: /components/schemas/Band/additionalProperties.',
    prove: (send) => status(send('PUT', '/sites/1/tariff', { body: timeOfUse([{ ...band, name: 'night' }]) })),
  },
  {
    id: 'null-label-rejected',
    class: 'C',
    operation: 'POST /meters',
    breaks: 'A label may be null: /components/schemas/MeterInput/properties/label/nullable.',
    prove: (send) => status(send('POST', '/meters', { body: { ...meter, label: null } })),
  },
  {
    id: 'charset-415',
    class: 'C',
    operation: '*',
    breaks:
      'A body is JSON in UTF-8, with or without that parameter: /info/description; RFC 9110, 8.3.1; RFC 8259, 11.',
    prove: (send) => {
      const headers = { ...key(first.api_key), 'Content-Type': 'application/json; charset=utf-8' };
      return status(send('POST', '/sites', { headers, body: site }));
    },
  },
  {
    id: 'quality-default',
    class: 'C',
    operation: 'POST /sites/{site_id}/meters/{meter_id}/readings',
    breaks: 'An omitted quality is measured: /components/schemas/ReadingInput/properties/quality/default.',
    prove: async (send) => {
      await upload(send, reading);
      return (await send('GET', `${readings}?from=2026-04-01T00:00:00Z`)).json[0].quality;
    },
  },
  {
    id: 'price-as-number',
    class: 'C',
    operation: 'PUT /sites/{site_id}/tariff',
    breaks: 'A price is a string: /components/schemas/Decimal/type.',
    prove: (send) => status(send('PUT', '/sites/1/tariff', { body: { ...flat, price_per_kwh: 0.2845 } })),
  },
  {
    id: 'id-by-parse-int',
    class: 'C',
    operation: '*',
    breaks: 'An id is an integer: /components/schemas/Id/type.',
    prove: (send) => status(send('GET', '/sites/1abc')),
  },
  {
    id: 'hour-24-rejected',
    class: 'C',
    operation: 'PUT /sites/{site_id}/tariff',
    breaks: 'A band may last until hour 24: /components/schemas/Band/properties/to_hour/maximum.',
    prove: (send) => status(send('PUT', '/sites/1/tariff', { body: timeOfUse([{ ...band, to_hour: 24 }]) })),
  },
  // D: credentials and access
  {
    id: 'alerts-without-credentials',
    class: 'D',
    operation: 'GET /alerts',
    breaks: 'Every operation needs credentials: /security.',
    prove: (send) => status(send('GET', '/alerts', { headers: {} })),
  },
  {
    id: 'expired-key-accepted',
    class: 'D',
    operation: '*',
    breaks: 'Keys expire: /components/securitySchemes/api_key/description.',
    prove: (send) => status(send('GET', '/meters', { headers: key(credentials.expired_api_key) })),
  },
  {
    id: 'any-password',
    class: 'D',
    operation: '*',
    breaks: 'Basic credentials have the password of the account: /components/securitySchemes/basic; RFC 7617, 2.',
    prove: (send) => status(send('GET', '/meters', { headers: basic(first.username, 'wrong') })),
  },
  {
    id: 'scheme-case',
    class: 'D',
    operation: '*',
    breaks: 'The name of a scheme has no case: RFC 9110, 11.1.',
    prove: (send) => status(send('GET', '/meters', { headers: basic(first.username, first.password, 'basic') })),
  },
  {
    id: 'delete-by-key-alone',
    class: 'D',
    operation: 'DELETE /sites/{site_id}',
    breaks: 'Deletion needs key and Basic credentials: /paths/~1sites~1{site_id}/delete/security/0.',
    prove: (send) => status(send('DELETE', '/sites/4')),
  },
  {
    id: 'reports-by-key-only',
    class: 'D',
    operation: '*',
    breaks: 'Basic credentials are enough: /security/1.',
    prove: (send) => status(send('GET', '/reports/1', { headers: basic(first.username, first.password) })),
  },
  {
    id: 'tariff-by-read-only-key',
    class: 'D',
    operation: 'PUT /sites/{site_id}/tariff',
    breaks: 'Read-only keys may only read: /info/description.',
    prove: (send) => status(send('PUT', '/sites/1/tariff', { headers: key(first.read_only_api_key), body: flat })),
  },
  {
    id: 'no-challenge',
    class: 'D',
    operation: '*',
    breaks: '401 has WWW-Authenticate: RFC 9110, 15.5.2; /components/responses/Unauthorized/headers.',
    prove: async (send) => (await send('GET', '/sites', { headers: {} })).headers['www-authenticate'],
  },
  {
    id: 'unknown-key-403',
    class: 'D',
    operation: '*',
    breaks: '403 is for valid credentials: /components/responses/Forbidden; RFC 9110, 15.5.2.',
    prove: (send) => status(send('GET', '/sites', { headers: key('mk_fake_unknown') })),
  },
  {
    id: 'foreign-site-readable',
    class: 'D',
    operation: 'GET /sites/{site_id}',
    breaks: 'Objects of other accounts are answered like objects that do not exist: /info/description.',
    prove: (send) => status(send('GET', '/sites/3')),
  },
  {
    id: 'foreign-tariff-writable',
    class: 'D',
    operation: 'PUT /sites/{site_id}/tariff',
    breaks: 'Objects of other accounts are answered like objects that do not exist: /info/description.',
    prove: (send) => status(send('PUT', '/sites/3/tariff', { body: flat })),
  },
  {
    id: 'foreign-meters-by-ids',
    class: 'D',
    operation: 'GET /meters',
    breaks:
      'Ids that do not exist for the account are left out: /info/description; operation listMeters, parameter ids.',
    prove: async (send) => (await send('GET', '/meters?ids=1,4')).json.length,
  },
  {
    id: 'total-of-all-accounts',
    class: 'D',
    operation: 'GET /sites',
    breaks: 'X-Total-Count counts the objects of the account: /info/description.',
    prove: async (send) => (await send('GET', '/sites')).headers['x-total-count'],
  },
  {
    id: 'meter-of-another-site',
    class: 'D',
    operation: '*',
    breaks:
      'meter_id is a meter of this site: /paths/~1sites~1{site_id}~1meters~1{meter_id}~1readings/parameters/1/description.',
    prove: (send) => status(send('GET', '/sites/1/meters/4/readings')),
  },
  {
    id: 'key-in-query',
    class: 'D',
    operation: '*',
    breaks: 'A key is sent in a header: /components/securitySchemes/api_key/in.',
    prove: (send) => status(send('GET', `/sites?api_key=${first.api_key}`, { headers: {} })),
  },
  {
    id: 'mass-assignment',
    class: 'D',
    operation: 'POST /sites',
    breaks:
      'Unknown members are rejected, so no request chooses the account: /components/schemas/SiteInput/additionalProperties.',
    prove: async (send) => {
      const { status, json } = await send('POST', '/sites', { body: { ...site, account_id: second.account_id } });
      return [status, json.account_id];
    },
  },
  {
    id: 'foreign-site-for-meter',
    class: 'D',
    operation: 'POST /meters',
    breaks: 'A site that does not exist for the account is answered 422: operation upsertMeter, description.',
    prove: (send) => status(send('POST', '/meters', { body: { ...meter, site_id: 3 } })),
  },
  {
    id: 'foreign-report',
    class: 'D',
    operation: 'GET /reports/{report_id}',
    breaks: 'Objects of other accounts are answered like objects that do not exist: /info/description.',
    prove: (send) => status(send('GET', '/reports/2')),
  },
  {
    id: 'accounts-mixed',
    class: 'D',
    operation: 'DELETE /sites/{site_id}',
    breaks: 'Key and Basic credentials of different accounts are answered 403: operation deleteSite, description.',
    prove: (send) => {
      const headers = { ...key(first.api_key), ...basic(second.username, second.password) };
      return status(send('DELETE', '/sites/4', { headers }));
    },
  },
  {
    id: 'password-colon',
    class: 'D',
    operation: '*',
    breaks: 'Only the first colon separates name and password: RFC 7617, 2.',
    prove: (send) => status(send('GET', '/sites', { headers: basic(first.username, first.password) })),
  },
  // E: lists
  {
    id: 'last-page-cut',
    class: 'E',
    operation: 'GET /meters',
    breaks: 'The pages have all objects that X-Total-Count counts: /info/description.',
    prove: (send) => walk(send, '/meters?per_page=3'),
  },
  {
    id: 'pages-overlap',
    class: 'E',
    operation: 'GET /alerts',
    breaks: 'per_page objects are on each page, so the second page begins after them: /components/parameters/PerPage.',
    prove: (send) => walk(send, '/alerts?per_page=4'),
  },
  {
    id: 'total-unfiltered',
    class: 'E',
    operation: 'GET /alerts',
    breaks: 'X-Total-Count is the number of objects that match the filters: /info/description.',
    prove: async (send) => (await send('GET', '/alerts?state=open')).headers['x-total-count'],
  },
  {
    id: 'tags-any',
    class: 'E',
    operation: getSites,
    breaks: 'Sites have all of these tags: operation listSites, parameter tag.',
    prove: (send) => walk(send, '/sites?tag=north&tag=office'),
  },
  {
    id: 'to-inclusive',
    class: 'E',
    operation: getReadings,
    breaks: 'Readings before this instant: operation listReadings, parameter to.',
    prove: (send) => walk(send, `${readings}?to=2026-03-02T23:00:00Z`),
  },
  {
    id: 'csv-unpaged',
    class: 'E',
    operation: getReadings,
    breaks: 'Lists are paged by page and per_page, in each media type: /info/description.',
    prove: async (send) => {
      const headers = { ...key(first.api_key), Accept: 'text/csv' };
      return (await send('GET', `${readings}?per_page=2`, { headers })).text;
    },
  },
  {
    id: 'direction-ignored',
    class: 'E',
    operation: 'GET /alerts',
    breaks: 'desc is descending: operation listAlerts, parameter direction.',
    prove: (send) => walk(send, '/alerts?sort_by=raised_at&direction=desc'),
  },
  {
    id: 'ties-unstable',
    class: 'E',
    operation: 'GET /alerts',
    breaks: 'Alerts with equal values are sorted by id, on all pages: operation listAlerts, parameter sort_by.',
    prove: (send) => walk(send, '/alerts?sort_by=severity&per_page=3'),
  },
  {
    id: 'meters-by-serial',
    class: 'E',
    operation: 'GET /meters',
    breaks: 'Lists are sorted by id: /info/description.',
    prove: (send) => walk(send, '/meters?per_page=20'),
  },
  // F: state
  {
    id: 'created-tags-lost',
    class: 'F',
    operation: 'POST /sites',
    also: [getSite, getSites, putSite, deleteSite],
    breaks: '201 means that the site was created as it is answered: operation createSite; RFC 9110, 15.3.2.',
    prove: async (send) => {
      const { json } = await send('POST', '/sites', { body: { ...site, tags: ['depot'] } });
      return (await send('GET', `/sites/${json.id}`)).json.tags;
    },
  },
  {
    id: 'put-resets-creation',
    class: 'F',
    operation: putSite,
    also: [getSite, getSites, deleteSite],
    breaks: 'A replacement does not change created_at: /components/schemas/Site/properties/created_at.',
    prove: async (send) => {
      await send('PUT', '/sites/1', { body: site });
      return (await send('GET', '/sites/1')).json.created_at.slice(0, 10);
    },
  },
  {
    id: 'put-removes-tariff',
    class: 'F',
    operation: putSite,
    also: [getTariff, putTariff, 'GET /reports/{report_id}'],
    breaks: 'Meters and tariff of the site stay: operation replaceSite, description.',
    prove: async (send) => {
      await send('PUT', '/sites/1', { body: site });
      return status(send('GET', '/sites/1/tariff'));
    },
  },
  {
    id: 'rejected-put-applies',
    class: 'F',
    operation: putSite,
    also: [getSite, getSites, deleteSite],
    breaks: 'Nothing has changed if a condition is false: /components/responses/PreconditionFailed; RFC 9110, 13.1.1.',
    prove: async (send) => {
      const headers = { ...key(first.api_key), 'If-Match': '"0000000000000000"' };
      await send('PUT', '/sites/1', { headers, body: site });
      return (await send('GET', '/sites/1')).json.name;
    },
  },
  {
    id: 'deleted-site-keeps-meters',
    class: 'F',
    operation: deleteSite,
    also: ['GET /meters', 'POST /meters', 'GET /alerts'],
    breaks: 'The meters of a deleted site are deleted: operation deleteSite, description.',
    prove: async (send) => {
      await send('DELETE', '/sites/4', { headers: both });
      return walk(send, '/meters?kind=water');
    },
  },
  {
    id: 'tariff-of-all-sites',
    class: 'F',
    operation: putTariff,
    also: [getTariff, 'GET /reports/{report_id}'],
    breaks: 'PUT sets the tariff of one site: operation replaceTariff; RFC 9110, 9.3.4.',
    prove: async (send) => {
      await send('PUT', '/sites/1/tariff', { body: flat });
      return (await send('GET', '/sites/2/tariff')).json.kind;
    },
  },
  {
    id: 'tariff-read-touches-site',
    class: 'F',
    operation: getTariff,
    also: [getSite, getSites, putSite, deleteSite],
    breaks: 'GET is safe; updated_at is the last change of the site: RFC 9110, 9.2.1; Site/properties/updated_at.',
    prove: async (send) => {
      await send('GET', '/sites/1/tariff');
      return (await send('GET', '/sites/1')).json.updated_at.slice(0, 10);
    },
  },
  {
    id: 'meter-count-stale',
    class: 'F',
    operation: 'POST /meters',
    also: [getSite, getSites, putSite, deleteSite],
    breaks: 'meter_count is the number of the meters of this site: /components/schemas/Site/properties/meter_count.',
    prove: async (send) => {
      await send('POST', '/meters', { body: meter });
      return (await send('GET', '/sites/1')).json.meter_count;
    },
  },
  {
    id: 'upsert-loses-readings',
    class: 'F',
    operation: 'POST /meters',
    also: ['GET /meters', getReadings, postReadings, 'GET /reports/{report_id}'],
    breaks: 'An updated meter keeps its id and readings: operation upsertMeter, description.',
    prove: async (send) => {
      await send('POST', '/meters', { body: { ...meter, serial: 'EL-004701' } });
      return (await send('GET', readings)).headers['x-total-count'];
    },
  },
  {
    id: 'rejected-batch-in-part',
    class: 'F',
    operation: postReadings,
    also: [getReadings, 'GET /meters', 'POST /meters', 'GET /reports/{report_id}'],
    breaks: 'No reading is stored if one is invalid: operation uploadReadings, description.',
    prove: async (send) => {
      await upload(send, reading, { taken_at: '2026-05-02T00:00:00Z', kwh: -1 });
      return (await send('GET', readings)).headers['x-total-count'];
    },
  },
  {
    id: 'instant-in-utc',
    class: 'F',
    operation: postReadings,
    also: [getReadings, 'GET /meters', 'POST /meters'],
    breaks: 'taken_at is the instant as it was uploaded: /components/schemas/Reading/properties/taken_at.',
    prove: async (send) => {
      await upload(send, reading);
      return walk(send, `${readings}?from=2026-04-01T00:00:00Z`);
    },
  },
  {
    id: 'first-reading-stays',
    class: 'F',
    operation: postReadings,
    also: [getReadings, 'GET /meters', 'POST /meters', 'GET /reports/{report_id}'],
    breaks: 'A second reading of an instant replaces the first: operation uploadReadings, description.',
    prove: async (send) => {
      await upload(send, reading);
      await upload(send, { ...reading, kwh: 7 });
      return (await send('GET', `${readings}?from=2026-04-01T00:00:00Z`)).json[0].kwh;
    },
  },
  {
    id: 'done-report-runs-again',
    class: 'F',
    operation: 'GET /reports/{report_id}',
    also: ['POST /reports'],
    breaks: 'A report does not change once it is done: operation getReport, answer 200.',
    prove: async (send) => [
      (await send('GET', '/reports/1')).json.status,
      (await send('GET', '/reports/1')).json.status,
    ],
  },
];

/** Whether the fault shows in answers that depend on earlier requests or on several objects. */
export const isStateful = (id: string): boolean => faults.some((fault) => fault.id === id && fault.class >= 'E');
