import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import {
  Call,
  type Form,
  type Headers,
  type Identity,
  notFound,
  type Outcome,
  Rejection,
  readForm,
  readParameter,
  take,
} from './call.ts';
import credentials from './credentials.json' with { type: 'json' };
import { faults, isStateful } from './faults.ts';
import { type Alert, type Meter, qualities, type Report, type Site, Store, sumUp } from './store.ts';
import {
  anything,
  asInteger,
  asIntegers,
  asText,
  chooseType,
  date,
  dateTime,
  entityTag,
  formatCsv,
  id,
  instantOf,
  integer,
  isListed,
  isUtf8,
  type Json,
  list,
  matching,
  memberOf,
  month,
  nullOr,
  number,
  type Reading,
  type Rule,
  tag,
  text,
  withoutNulls,
} from './values.ts';

// A server of contract.yaml on node:http alone, with validation by hand. `faults.ts` describes the faults that a switch turns on.

const base = credentials.base_path;
const bodyLimitBytes = 256 * 1024;
const reportMs = 40;
const timezones = ['UTC', 'Europe/Berlin', 'Europe/Lisbon', 'America/New_York'];
const kinds = ['electricity', 'gas', 'water', 'heat'];
const energy = number((value) => value >= 0 && value <= 999_999_999.999, '0 to 999999999.999');
const markup = number((value) => value > -100 && value <= 100, 'above -100, up to 100');
const alertStates = ['open', 'acknowledged', 'resolved'];
const alertKeys = ['id', 'raised_at', 'severity'] as const;
const currencies = ['EUR', 'GBP', 'USD'];

type Handler = (call: Call) => Outcome;

function answerPage<T>(call: Call, items: readonly T[], show: (item: T) => unknown): Outcome {
  const page = readParameter(call, 'page', asInteger, integer(1, 100_000), 1);
  const pageSize = call.rule('per-page-unbounded', integer(1, 2 ** 31), integer(1, 100));
  const perPage = readParameter(call, 'per_page', asInteger, pageSize, 20);
  call.rejectInvalid();
  const start = (page - 1) * perPage - (page > 1 && call.path[2] === 'alerts' && call.has('pages-overlap') ? 1 : 0);
  const isCut = page > 1 && call.path[2] === 'meters' && call.has('last-page-cut');
  const body = items.slice(start, Math.min(start + perPage, items.length - (isCut ? 1 : 0))).map(show);
  if (body.length === 0 && page > 1 && call.path[2] === 'meters' && call.on('page-beyond-500'))
    throw new TypeError('page has no first item');
  return { status: 200, headers: { 'X-Total-Count': String(items.length) }, body };
}

// Credentials

function findKey(call: Call): Identity | undefined {
  const inQuery = call.query.get('api_key');
  const inHeader = identityOf(call, call.headers['x-api-key']);
  if (inHeader !== undefined || inQuery === null) return inHeader;
  const identity = identityOf(call, inQuery);
  return identity && call.on('key-in-query') ? identity : undefined;
}

function identityOf(call: Call, key: unknown): Identity | undefined {
  for (const { account_id: account, api_key, read_only_api_key } of [credentials.first, credentials.second]) {
    if (key === api_key || key === read_only_api_key) return { account, readOnly: key === read_only_api_key };
  }
  if (key !== credentials.expired_api_key || !call.on('expired-key-accepted')) return undefined;
  return { account: credentials.first.account_id, readOnly: false };
}

function findUser(call: Call): Identity | undefined {
  const header = call.headers.authorization ?? '';
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const password = decoded.slice(colon + 1);
  const found = [credentials.first, credentials.second].find(({ username }) => username === decoded.slice(0, colon));
  if (found === undefined || (found.password !== password && !call.on('any-password'))) return undefined;
  if (password.includes(':') && call.on('password-colon')) return undefined;
  if (!header.startsWith('Basic') && call.on('scheme-case')) return undefined;
  if (call.path[2] === 'reports' && call.on('reports-by-key-only')) return undefined;
  return { account: found.account_id, readOnly: false };
}

function authenticate(call: Call, needsBoth: boolean): Identity {
  const byKey = findKey(call);
  const byUser = byKey !== undefined && !needsBoth ? undefined : findUser(call);
  if (needsBoth && byKey !== undefined && byUser !== undefined) {
    if (byKey.account === byUser.account || call.on('accounts-mixed')) return byKey;
    throw new Rejection(403, 'forbidden', 'Key and user belong to different accounts.');
  }
  if (needsBoth && byKey !== undefined && call.on('delete-by-key-alone')) return byKey;
  const found = needsBoth ? undefined : (byKey ?? byUser);
  if (found !== undefined) return found;
  if (call.path[2] === 'alerts' && call.on('alerts-without-credentials')) return { account: null, readOnly: true };
  if (call.headers['x-api-key'] !== undefined && call.on('unknown-key-403')) {
    throw new Rejection(403, 'forbidden', 'This key is unknown.');
  }
  const challenge = { 'WWW-Authenticate': 'Basic realm="meters", charset="UTF-8"' };
  const headers = call.on('no-challenge') ? {} : challenge;
  throw new Rejection(401, 'unauthorized', 'Send a valid API key or valid Basic credentials.', headers);
}

function rejectReadOnly(call: Call): void {
  if (call.identity.readOnly && !(call.path[4] === 'tariff' && call.on('tariff-by-read-only-key'))) {
    throw new Rejection(403, 'forbidden', 'This key may only read.');
  }
}

// Requests

function readId(call: Call, index: number, name: string): number {
  const segment = call.path[index] ?? '';
  const parsed = Number.parseInt(segment, 10);
  const strict = asInteger(segment);
  const value = id(parsed) === undefined ? call.broken<unknown>('id-by-parse-int', () => parsed, strict) : strict;
  call.check(name, id(value));
  call.rejectInvalid();
  return value as number;
}

function readBody(call: Call): unknown {
  if (call.raw === null) throw new Rejection(413, 'content_too_large', 'The body has more than 256 KiB.');
  if ((call.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    const headers = { 'Accept-Encoding': 'identity' };
    throw new Rejection(415, 'unsupported_media_type', 'Content codings are not supported.', headers);
  }
  const type = call.headers['content-type'] ?? '';
  const isJson =
    /^application\/json[ \t]*(;|$)/i.test(type) && isUtf8(type) && !(type.includes(';') && call.on('charset-415'));
  if (!isJson && !call.on('media-type-ignored')) {
    const headers = { Accept: 'application/json' };
    throw new Rejection(415, 'unsupported_media_type', 'The body must be application/json in UTF-8.', headers);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(call.raw));
  } catch (error) {
    if (call.on('malformed-json-500')) throw error;
    throw new Rejection(400, 'malformed_json', 'The body is not JSON in UTF-8.');
  }
}

/** RFC 9110, 13.2.2. The current entity tag is undefined if there is no object. */
function checkConditions(call: Call, current: () => string | undefined, cacheHeaders: Headers = {}): Outcome | null {
  const ifMatch = call.headers['if-match'];
  const isStale = ifMatch !== undefined && !isListed(ifMatch, current(), false);
  if (isStale && !(call.method === 'PUT' && call.path.length === 4 && call.on('if-match-ignored'))) {
    throw new Rejection(412, 'precondition_failed', 'The object has another entity tag.');
  }
  const ifNoneMatch = call.headers['if-none-match'];
  if (ifNoneMatch === undefined || !isListed(ifNoneMatch, current(), true)) return null;
  if (call.method !== 'GET' && call.method !== 'HEAD') {
    throw new Rejection(412, 'precondition_failed', 'The object exists with this entity tag.');
  }
  if (call.path[4] === 'tariff' && call.on('none-match-ignored')) return null;
  const { ETag = '', ...others } = cacheHeaders;
  return { status: 304, headers: call.on('not-modified-without-etag') ? others : { ETag, ...others } };
}

/** The value with its validator, or 304. */
function answerTagged(call: Call, ETag: string, show: () => unknown): Outcome {
  const headers = { ETag, 'Cache-Control': 'private, no-cache' };
  return checkConditions(call, () => ETag, headers) ?? { status: 200, headers, body: show() };
}

// Sites

function findSite(call: Call, fault = ''): Site {
  const site = call.store.sites.get(readId(call, 3, 'site_id'));
  if (site === undefined || (!call.owns(site.account_id) && !call.on(fault))) throw notFound();
  return site;
}

function showSite(call: Call, site: Site, fault = ''): Json {
  const hook = site.webhook;
  const webhook = hook && call.broken<Json>(fault, () => hook, { url: hook.url });
  const isCounted = (meter: Meter) => meter.site_id === site.id && !(meter.id >= 100 && call.has('meter-count-stale'));
  const meter_count = [...call.store.meters.values()].filter(isCounted).length;
  return { ...site, webhook, meter_count };
}

/** Omitted optional members get the defaults of the contract, or stay as they are on the site that a fault passes. */
function readSite(call: Call, old?: Site, extra?: string) {
  const optional = ['postcode', 'area_m2', 'tags', 'webhook'];
  const body = readForm(call, readBody(call), '', ['name', 'timezone'], optional, extra);
  const name = call.rule('empty-name', text(0, 60), text(1, 60));
  const nameInBytes: Rule = (value) =>
    name(value) ?? (Buffer.byteLength(String(value)) > 60 ? 'is too long' : undefined);
  const zone = call.rule('timezone-forgotten', memberOf(timezones.slice(0, 3)), memberOf(timezones));
  const postcode = call.rule('postcode-unanchored', matching(/^[0-9]{5}/), matching(/^[0-9]{5}$/));
  const areaFrom0 = number((value) => value >= 0 && value <= 1e6, 'from 0');
  const area = number((value) => value > 0 && value <= 1e6, 'above 0, up to 1000000');
  const site = {
    name: take<string>(body, 'name', call.rule('name-in-bytes', nameInBytes, name)),
    timezone: take<string>(body, 'timezone', zone),
    postcode: take<string | null>(body, 'postcode', nullOr(postcode), old?.postcode ?? null),
    area_m2: take(body, 'area_m2', nullOr(call.rule('area-zero', areaFrom0, area)), old?.area_m2 ?? null),
    tags: take<readonly string[]>(body, 'tags', list(0, 5, true), old?.tags ?? []),
    webhook: readWebhook(body, old?.webhook ?? null),
  };
  if (Array.isArray(site.tags)) for (const [i, item] of site.tags.entries()) call.check(`tags[${i}]`, tag(item));
  call.rejectInvalid();
  return site;
}

function readWebhook({ call, members }: Form, fallback: Site['webhook']): Site['webhook'] {
  if (!Object.hasOwn(members, 'webhook')) return fallback;
  if (members.webhook === null) return null;
  const webhook = readForm(call, members.webhook, 'webhook.', ['url', 'secret'], []);
  const address = matching(/^https:\/\/[a-z0-9.-]+(\/[A-Za-z0-9._~/-]*)?$/);
  const url: Rule = (value) => address(value) ?? text(0, 200)(value);
  return { url: take(webhook, 'url', url), secret: take(webhook, 'secret', text(16, 64)) };
}

function listSites(call: Call): Outcome {
  const tags = call.query.getAll('tag');
  call.check('tag', list(0, 5, true)(tags));
  for (const item of tags) call.check('tag', tag(item));
  const anyTag = tags.length > 0 && call.has('tags-any');
  const matches = [...call.store.sites.values()].filter((site) =>
    anyTag ? tags.some((item) => site.tags.includes(item)) : tags.every((item) => site.tags.includes(item)),
  );
  const own = matches.filter((site) => call.owns(site.account_id));
  const { headers = {}, ...page } = answerPage(call, own, (site) => {
    const shown = showSite(call, site);
    return call.broken('nulls-omitted', () => withoutNulls(shown), shown);
  });
  const total = call.broken('total-of-all-accounts', () => String(matches.length), headers['X-Total-Count'] ?? '');
  return { ...page, headers: call.on('sites-without-total') ? {} : { 'X-Total-Count': total } };
}

function createSite(call: Call): Outcome {
  const { now } = call;
  const members = readSite(call, undefined, 'mass-assignment');
  const { account_id = call.identity.account ?? 0 } = readBody(call) as { account_id?: number };
  const site = { ...members, id: call.newId(), account_id, created_at: now, updated_at: now };
  call.store.sites.set(site.id, site);
  const body = showSite(call, site);
  const Location = `${call.on('location-without-base') ? '' : base}/sites/${site.id}`;
  const headers = { Location, ETag: tagSite(call, site) };
  if (call.has('created-tags-lost')) call.store.sites.set(site.id, { ...site, tags: [] });
  return { status: call.on('created-as-200') ? 200 : 201, headers, body };
}

function tagSite(call: Call, site: Site): string {
  const tag = entityTag(showSite(call, site));
  const first = call.store.firstTags.get(site.id) ?? tag;
  call.store.firstTags.set(site.id, first);
  return call.broken('etag-stays', () => first, tag);
}

function getSite(call: Call): Outcome {
  const site = findSite(call, 'foreign-site-readable');
  return answerTagged(call, tagSite(call, site), () => showSite(call, site, 'secret-leaks'));
}

function replaceSite(call: Call): Outcome {
  const old = findSite(call);
  const wanted = readSite(call);
  const changed = { ...old, ...wanted, updated_at: call.now };
  if (call.has('rejected-put-applies')) call.store.sites.set(old.id, changed);
  checkConditions(call, () => tagSite(call, old));
  const members = call.broken('put-keeps-omitted', () => readSite(call, old), wanted);
  const created_at = call.has('put-resets-creation') ? call.now : old.created_at;
  const site = { ...changed, ...members, created_at };
  call.store.sites.set(site.id, site);
  if (call.has('put-removes-tariff')) call.store.tariffs.delete(site.id);
  return { status: 200, body: showSite(call, site) };
}

function deleteSite(call: Call): Outcome {
  const { store } = call;
  const site = findSite(call);
  checkConditions(call, () => tagSite(call, site));
  if (call.has('deleted-site-keeps-meters')) store.deletedSites.set(site.id, site);
  for (const meter of store.meters.values()) {
    if (meter.site_id !== site.id || call.has('deleted-site-keeps-meters')) continue;
    store.meters.delete(meter.id);
    for (const alert of store.alerts.values()) if (alert.meter_id === meter.id) store.alerts.delete(alert.id);
  }
  store.tariffs.delete(site.id);
  if (!call.on('deleted-site-stays')) store.sites.delete(site.id);
  return { status: 204 };
}

// Tariffs

function readTariff(call: Call): Json {
  const body = readBody(call) as Json | null;
  const members = { flat: ['price_per_kwh'], time_of_use: ['bands'], indexed: ['index', 'markup_percent'] };
  const kind = body?.kind as keyof typeof members;
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) {
    call.check('kind', memberOf(Object.keys(members))(kind));
    call.rejectInvalid();
  }
  const tariff = readForm(call, body, '', ['kind', 'currency', ...(members[kind] ?? [])], []);
  take(tariff, 'currency', memberOf(currencies));
  if (kind === 'flat') take(tariff, 'price_per_kwh', price(call));
  if (kind === 'time_of_use') readBands(tariff);
  if (kind === 'indexed') take(tariff, 'index', memberOf(['day_ahead', 'intraday']));
  if (kind === 'indexed') take(tariff, 'markup_percent', markup);
  call.rejectInvalid();
  return tariff.members;
}

function price(call: Call): Rule {
  const pattern = /^[0-9]{1,4}\.[0-9]{4}$/;
  const byTestAlone: Rule = (value) => (pattern.test(value as string) ? undefined : 'must be a decimal number');
  return call.rule('price-as-number', byTestAlone, matching(pattern));
}

function readBands(tariff: Form): void {
  const { call } = tariff;
  const bands = take<unknown>(tariff, 'bands', list(1, 6, false));
  for (const [i, band] of Array.isArray(bands) ? bands.entries() : []) {
    const members = ['from_hour', 'to_hour', 'price_per_kwh'];
    const form = readForm(call, band, `bands[${i}].`, members, [], 'band-with-extras');
    take(form, 'from_hour', integer(0, 23));
    take(form, 'to_hour', call.rule('hour-24-rejected', integer(1, 23), integer(1, 24)));
    take(form, 'price_per_kwh', price(call));
  }
}

function showTariff(call: Call, tariff: Json): Json {
  const kind = call.broken<unknown>(
    'kind-renamed',
    () => (tariff.kind === 'indexed' ? 'index' : tariff.kind),
    tariff.kind,
  );
  return { ...tariff, kind };
}

function getTariff(call: Call): Outcome {
  const site = findSite(call);
  const tariff = call.store.tariffs.get(site.id);
  if (tariff === undefined) throw notFound();
  if (call.has('tariff-read-touches-site')) call.store.sites.set(site.id, { ...site, updated_at: call.now });
  return answerTagged(call, entityTag(tariff), () => showTariff(call, tariff));
}

function replaceTariff(call: Call): Outcome {
  const { tariffs } = call.store;
  const site = findSite(call, 'foreign-tariff-writable');
  const tariff = readTariff(call);
  const old = tariffs.get(site.id);
  checkConditions(call, () => old && entityTag(old));
  const oldBands = Array.isArray(old?.bands) ? old.bands : [];
  const append = () => ({ ...tariff, bands: [...oldBands, ...(tariff.bands as unknown[])].slice(0, 6) });
  const stored = tariff.kind === 'time_of_use' ? call.broken<Json>('bands-appended', append, tariff) : tariff;
  tariffs.set(site.id, stored);
  for (const other of call.has('tariff-of-all-sites') ? call.store.sites.values() : [])
    if (other.account_id === site.account_id) tariffs.set(other.id, stored);
  return { status: old === undefined ? 201 : 200, body: showTariff(call, stored) };
}

// Meters and readings

function showMeter(call: Call, { readings, ...meter }: Meter): Json {
  const [, last] = [...readings].sort(([a], [b]) => b - a)[0] ?? [];
  const shown = last === undefined ? null : { taken_at: last.taken_at, kwh: last.kwh };
  const multiplier = call.broken<unknown>('multiplier-as-string', () => meter.multiplier.toFixed(3), meter.multiplier);
  return { ...meter, multiplier, last_reading: call.broken('last-reading-empty', () => shown ?? {}, shown) };
}

function readMeter(call: Call) {
  const optional = ['multiplier', 'installed_on', 'label'];
  const body = readForm(call, readBody(call), '', ['site_id', 'serial', 'kind'], optional);
  const factor = number((value) => value > 0 && value <= 1000, 'above 0, up to 1000');
  const meter = {
    site_id: take<number>(body, 'site_id', id),
    serial: take<string>(body, 'serial', matching(/^[A-Z]{2}-[0-9]{6}$/)),
    kind: take<string>(body, 'kind', memberOf(kinds)),
    multiplier: take<number>(body, 'multiplier', factor, 1),
    installed_on: take<string | null>(body, 'installed_on', nullOr(date), null),
    label: take(body, 'label', call.rule('null-label-rejected', text(0, 40), nullOr(text(0, 40))), null),
  };
  call.rejectInvalid();
  return meter;
}

function ownsMeter(call: Call, meter: Meter): boolean {
  const { sites, deletedSites } = call.store;
  return call.owns((sites.get(meter.site_id) ?? deletedSites.get(meter.site_id))?.account_id ?? 0);
}

function listMeters(call: Call): Outcome {
  const kind = readParameter<string | null>(call, 'kind', asText, memberOf(kinds), null);
  const ids = readParameter<unknown[] | null>(call, 'ids', asIntegers, list(1, 20, true), null);
  const item = call.rule('ids-unchecked', anything, id);
  for (const value of ids ?? []) call.check('ids', item(value));
  const matches = [...call.store.meters.values()]
    .filter((meter) => (ids === null || ids.includes(meter.id)) && (kind === null || meter.kind === kind))
    .filter((meter) => ownsMeter(call, meter) || (ids !== null && call.on('foreign-meters-by-ids')));
  if (call.has('meters-by-serial')) matches.sort((a, b) => (a.serial < b.serial ? -1 : 1));
  return answerPage(call, matches, (meter) => showMeter(call, meter));
}

function upsertMeter(call: Call): Outcome {
  const { store } = call;
  const input = readMeter(call);
  const site = store.sites.get(input.site_id);
  if (site === undefined || (!call.owns(site.account_id) && !call.on('foreign-site-for-meter'))) throw unknownSite();
  const known = [...store.meters.values()].find((meter) => meter.serial === input.serial && ownsMeter(call, meter));
  const same = known !== undefined && call.on('upsert-duplicates') ? undefined : known;
  const kept = call.has('upsert-loses-readings') ? undefined : same?.readings;
  const meter = { ...input, id: same?.id ?? call.newId(), readings: kept ?? new Map<number, Reading>() };
  store.meters.set(meter.id, meter);
  return { status: 200, body: showMeter(call, meter) };
}

const unknownSite = () => new Rejection(422, 'unknown_site', 'The account has no site with this site_id.');

function findMeter(call: Call): Meter {
  const meterId = readId(call, 5, 'meter_id');
  const site = findSite(call);
  const meter = call.store.meters.get(meterId);
  if (meter === undefined || (meter.site_id !== site.id && !call.on('meter-of-another-site'))) throw notFound();
  return meter;
}

function listReadings(call: Call): Outcome {
  const from = readParameter<string | null>(call, 'from', asText, dateTime, null);
  const to = readParameter<string | null>(call, 'to', asText, dateTime, null);
  const quality = readParameter<string | null>(call, 'quality', asText, memberOf(qualities), null);
  const meter = findMeter(call);
  const end = instantOf(to) + (call.has('to-inclusive') ? 1 : 0);
  const readings = [...meter.readings]
    .sort(([a], [b]) => a - b)
    .filter(([instant]) => (from === null || instant >= instantOf(from)) && (to === null || instant < end))
    .map(([, reading]) => reading)
    .filter((reading) => quality === null || reading.quality === quality);
  const accept = call.headers.accept || '*/*';
  const chosen = chooseType(accept);
  const bySubstring = () => (accept.includes('text/csv') ? 'text/csv' : chosen);
  const type = call.broken('accept-by-substring', bySubstring, chosen);
  if (type === null) throw new Rejection(406, 'not_acceptable', 'Readings are JSON or CSV.', { Vary: 'Accept' });
  const { headers, body } = answerPage(call, readings, (reading) =>
    call.broken<unknown>('zero-as-null', () => ({ ...reading, kwh: reading.kwh || null }), reading),
  );
  const withVary = { ...headers, Vary: 'Accept' };
  return type === 'text/csv'
    ? { status: 200, headers: withVary, csv: formatCsv(call.has('csv-unpaged') ? readings : (body as Reading[])) }
    : { status: 200, headers: withVary, body };
}

function uploadReadings(call: Call): Outcome {
  const batchId = call.headers['x-batch-id'];
  const isBatchId = call.rule('batch-id-unchecked', anything, matching(/^[a-z0-9-]{4,20}$/));
  if (batchId !== undefined) call.check('X-Batch-Id', isBatchId(batchId));
  const meter = findMeter(call);
  const readings = readBatch(call, meter);
  const replaced = storeReadings(call, meter, readings);
  return { status: 200, body: { batch_id: batchId ?? null, stored: readings.length - replaced, replaced } };
}

/** Returns how many readings have replaced others. */
function storeReadings(call: Call, meter: Meter, readings: readonly Reading[]): number {
  let replaced = 0;
  for (const reading of readings) {
    const instant = instantOf(reading.taken_at);
    const isKnown = meter.readings.has(instant);
    if (isKnown) replaced += 1;
    const taken_at = call.has('instant-in-utc') ? new Date(instant).toISOString() : reading.taken_at;
    if (!(isKnown && call.has('first-reading-stays'))) meter.readings.set(instant, { ...reading, taken_at });
  }
  return replaced;
}

function readBatch(call: Call, meter: Meter): Reading[] {
  const body = readForm(call, readBody(call), '', ['readings'], []);
  const repeatable = call.rule('same-readings-accepted', list(1, 100, false), list(1, 100, true));
  const nonEmpty = call.rule('no-readings-accepted', list(0, 100, true), repeatable);
  const batch = take<unknown>(body, 'readings', nonEmpty);
  const items = Array.isArray(batch) ? batch : [];
  const valid: Reading[] = [];
  const readings = items.map((item, i) => {
    const problems = call.fields.length;
    const reading = readReading(call, item, `readings[${i}].`);
    if (call.fields.length === problems) valid.push(reading);
    if (i > 0 && call.fields.length > problems && call.on('first-reading-only')) call.fields.length = problems;
    return reading;
  });
  if (call.fields.length > 0 && call.has('rejected-batch-in-part')) storeReadings(call, meter, valid);
  call.rejectInvalid();
  const hasDefault = (i: number) => !Object.hasOwn(items[i], 'quality');
  return readings.map((item, i) =>
    hasDefault(i) && call.on('quality-default') ? { ...item, quality: 'estimated' } : item,
  );
}

function readReading(call: Call, item: unknown, path: string): Reading {
  const form = readForm(call, item, path, ['taken_at', 'kwh'], ['quality', 'note']);
  if (form.members.note === null && call.on('null-note-500')) throw new TypeError('note has no trim');
  return {
    taken_at: take(form, 'taken_at', dateTime),
    kwh: take(form, 'kwh', energy),
    quality: take(form, 'quality', memberOf(qualities), 'measured'),
    note: take(form, 'note', nullOr(text(0, 80)), null),
  };
}

// Alerts and reports

function listAlerts(call: Call): Outcome {
  const { store } = call;
  const state = readParameter<string | null>(call, 'state', asText, memberOf(alertStates), null);
  const severity = readParameter(call, 'min_severity', asInteger, integer(1, 5), 1);
  const day = call.rule('since-by-pattern', matching(/^\d{4}-\d\d-\d\d$/), date);
  const since = readParameter(call, 'since', asText, day, '0000-01-01');
  const sortBy = readParameter<(typeof alertKeys)[number]>(call, 'sort_by', asText, memberOf(alertKeys), 'id');
  const direction = readParameter<string>(call, 'direction', asText, memberOf(['asc', 'desc']), 'asc');
  const own = [...store.alerts.values()].filter(
    (alert) => store.meters.has(alert.meter_id) && ownsMeter(call, store.meters.get(alert.meter_id) as Meter),
  );
  const matches = own
    .filter((alert) => (state === null || alert.state === state) && alert.severity >= severity)
    .filter((alert) => alert.raised_at.slice(0, 10) >= since);
  const sign = direction === 'desc' && !call.has('direction-ignored') ? -1 : 1;
  const isUnstable = Number(call.query.get('page')) % 2 === 0 && call.has('ties-unstable');
  const order = (a: Alert, b: Alert) => (a[sortBy] < b[sortBy] ? -sign : a[sortBy] > b[sortBy] ? sign : 0);
  matches.sort((a, b) => order(a, b) || (isUnstable ? b.id - a.id : a.id - b.id));
  const page = answerPage(call, matches, (alert) =>
    call.broken('alert-with-empty-date', () => ({ ...alert, resolved_at: alert.resolved_at ?? '' }), { ...alert }),
  );
  for (const alert of matches)
    if (alert.state === 'open' && call.on('alerts-read-acknowledges')) alert.state = 'acknowledged';
  const total = String((call.has('total-unfiltered') ? own : matches).length);
  const range = () => `1-${(page.body as unknown[]).length}/${total}`;
  return { ...page, headers: { 'X-Total-Count': call.broken('total-as-range', range, total) } };
}

function requestReport(call: Call): Outcome {
  const { store } = call;
  const body = readForm(call, readBody(call), '', ['site_id', 'month'], []);
  const site_id = take<number>(body, 'site_id', id);
  const wanted = take<string>(body, 'month', month);
  call.rejectInvalid();
  const site = store.sites.get(site_id);
  if (site === undefined || !call.owns(site.account_id)) throw unknownSite();
  const result = sumUp(store, site_id, wanted);
  const times = { doneMs: call.nowMs + reportMs, created_at: call.now };
  const report = { id: call.newId(), account: site.account_id, ...times, site_id, month: wanted, result, doneReads: 0 };
  store.reports.set(report.id, report);
  const Location = `${base}/reports/${report.id}`;
  const headers = { Location, 'Retry-After': call.on('retry-after-with-unit') ? '1s' : '1' };
  return { status: 202, headers, body: showReport(call, report) };
}

function showReport(call: Call, { account: _, doneMs, doneReads, result, ...report }: Report): Json {
  const isDone = call.nowMs >= doneMs && !(doneReads % 2 === 1 && call.has('done-report-runs-again'));
  return { ...report, status: isDone ? 'done' : 'running', result: isDone ? result : null };
}

function getReport(call: Call): Outcome {
  const report = call.store.reports.get(readId(call, 3, 'report_id'));
  if (report === undefined || (!call.owns(report.account) && !call.on('foreign-report'))) throw notFound();
  const body = showReport(call, report);
  if (call.nowMs >= report.doneMs) report.doneReads += 1;
  const result = body.result as Json | null;
  const average = () => ({ ...result, average_kwh: result?.reading_count === 0 ? null : result?.average_kwh });
  return { status: 200, body: { ...body, result: result && call.broken<Json>('empty-month-null', average, result) } };
}

// HTTP

const routes: readonly { readonly path: string; readonly methods: Partial<Record<string, Handler>> }[] = [
  { path: '/sites', methods: { GET: listSites, POST: createSite } },
  { path: '/sites/{}', methods: { GET: getSite, PUT: replaceSite, DELETE: deleteSite } },
  { path: '/sites/{}/tariff', methods: { GET: getTariff, PUT: replaceTariff } },
  { path: '/meters', methods: { GET: listMeters, POST: upsertMeter } },
  { path: '/sites/{}/meters/{}/readings', methods: { GET: listReadings, POST: uploadReadings } },
  { path: '/alerts', methods: { GET: listAlerts } },
  { path: '/reports', methods: { POST: requestReport } },
  { path: '/reports/{}', methods: { GET: getReport } },
];

function answerCall(call: Call): Outcome {
  const route = routes.find(({ path }) => {
    const expected = `${base}${path}`.split('/');
    return (
      expected.length === call.path.length &&
      expected.every((part, i) => (part === '{}' ? call.path[i] !== '' : part === call.path[i]))
    );
  });
  const isAsterisk = call.method === 'OPTIONS' && call.path[0] === '*';
  if (route === undefined && !isAsterisk) throw notFound();
  const methods = route?.methods ?? { GET: listSites, POST: createSite, PUT: replaceSite, DELETE: deleteSite };
  const Allow = [
    ...Object.keys(methods).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])),
    'OPTIONS',
  ].join(', ');
  if (call.method === 'OPTIONS') return { status: 204, headers: { Allow } };
  const handler = chooseHandler(call, methods);
  if (handler === undefined) {
    const headers: Headers = call.on('allow-missing') ? {} : { Allow };
    throw new Rejection(405, 'method_not_allowed', `Use one of ${Allow}.`, headers);
  }
  call.identity = authenticate(call, handler === deleteSite);
  if (call.method !== 'GET' && call.method !== 'HEAD') rejectReadOnly(call);
  return handler(call);
}

function chooseHandler(call: Call, methods: Partial<Record<string, Handler>>): Handler | undefined {
  if (call.method === 'PATCH' && methods.PUT === replaceSite && call.on('patch-as-put')) return replaceSite;
  if (call.method !== 'HEAD') return Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  return methods.GET === getTariff && call.on('head-405') ? undefined : methods.GET;
}

function answerError(call: Call, error: unknown): Outcome {
  const known = error instanceof Rejection ? error : new Rejection(500, 'internal_error', 'Internal error');
  const { status, headers, code, message, fields } = known;
  const body = { error: { code, message, fields } };
  const isReport = call.path[2] === 'reports' && status === 404;
  return { status, headers, body: isReport && call.on('error-body-flat') ? { status, message } : body };
}

function settle(call: Call): Outcome {
  try {
    return answerCall(call);
  } catch (error) {
    return answerError(call, error);
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= bodyLimitBytes) chunks.push(chunk);
  }
  return size > bodyLimitBytes ? null : Buffer.concat(chunks);
}

function send(call: Call, response: ServerResponse, outcome: Outcome, log: () => void): void {
  const { status, body, csv } = outcome;
  const text = csv ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers: Record<string, string | number> = { 'Cache-Control': 'no-store', ...outcome.headers };
  const bytes = Buffer.from(text ?? '');
  let sent = bytes.length;
  if (text !== undefined) {
    const csvType = 'text/csv; charset=utf-8; header=present';
    headers['Content-Type'] = 'application/json';
    if (csv !== undefined) headers['Content-Type'] = call.on('csv-media-type') ? 'application/vnd.ms-excel' : csvType;
    sent = call.broken('length-in-characters', () => text.length, bytes.length);
    headers['Content-Length'] = call.method === 'HEAD' && call.on('head-length-zero') ? 0 : sent;
  }
  log();
  response.writeHead(status, headers);
  response.end(text === undefined || call.method === 'HEAD' ? undefined : bytes.subarray(0, sent));
}

export interface Options {
  readonly port: number;
  readonly fault?: string | undefined;
  readonly log?: string | undefined;
}

export async function start({ port, fault, log }: Options): Promise<{ url: string; close(): Promise<void> }> {
  if (fault !== undefined && !faults.some(({ id }) => id === fault)) throw new Error(`There is no fault ${fault}.`);
  const store = new Store();
  // The state of a server without the fault that got the same requests. It shows which answers the fault changes.
  const cleanStore = fault !== undefined && isStateful(fault) ? new Store() : undefined;
  let count = 0;
  let startMs = 0;
  if (log !== undefined) writeFileSync(log, '');
  const server = createServer(async (request, response) => {
    count += 1;
    const n = count;
    const raw = await readAll(request).catch(() => undefined);
    if (raw === undefined) return; // The client has gone.
    const call = new Call(store, request, raw, fault);
    const outcome = settle(call);
    if (cleanStore !== undefined) {
      const expected = settle(new Call(cleanStore, request, raw, undefined, call));
      call.triggered = JSON.stringify(outcome) !== JSON.stringify(expected);
    }
    send(call, response, outcome, () => {
      if (log === undefined) return;
      const ms = Math.round((performance.now() - startMs) * 10) / 10;
      const { method, triggered } = call;
      const line = { n, ms, method, target: request.url, status: outcome.status, triggered };
      appendFileSync(log, `${JSON.stringify(line)}\n`);
    });
  });
  server.keepAliveTimeout = 60_000;
  // Without a listener Node closes the connection of a CONNECT without an answer.
  server.on('connect', (_, socket) =>
    socket.end('HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  startMs = performance.now();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (import.meta.main) {
  const options = {
    port: { type: 'string', default: '0' },
    fault: { type: 'string' },
    log: { type: 'string' },
  } as const;
  const { values } = parseArgs({ options });
  const { url, close } = await start({ ...values, port: Number(values.port) });
  console.log(`listening on ${url}`);
  process.once('SIGTERM', () => void close());
}
