// HTTP beyond valid requests: undeclared methods, malformed content, media types, preconditions and repetitions.

import { listedSuccesses } from '../checks/answered.ts';
import type { RunContext } from '../checks/check.ts';
import { isTag } from '../checks/http-laws.ts';
import { isListed, pointerOfLaw, protocolLaw } from '../checks/protocol-laws.ts';
import { type Body, type Contract, isJson, type Operation } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import { type Draft, type Exchange, headerOf, isAccepted, type WireEdits } from '../execute/exchange.ts';
import { seenOf } from '../execute/write-request.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { locationBeneath } from '../resources/addresses.ts';
import { plainPath, slotsOf } from '../resources/slots.ts';
import { indexPaths, matches, methodsAt } from './declared-paths.ts';
import { type Bench, mayCallOften, mayProbe, type OperationProbes, type Probe, replicaMs } from './probe.ts';
import { withUnknownId } from './request-objects.ts';

export function planProtocol(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  const tested = operations.filter((one) => mayProbe(contract, one) && mayCallOften(contract, one, permissions));
  const paths = new Set<string>();
  const declared = indexPaths(contract);
  const withBody = tested.filter(({ body }) => body?.contents.some(({ mediaType }) => isJson(mediaType)));
  return tested.map((operation, index) => {
    const path = plainPath(operation.path);
    const isFirst = !paths.has(path) && paths.add(path) !== undefined;
    const probes = [
      ...(isFirst ? pathProbes(methodsAt(declared, operation.path), operation) : []),
      ...(isSafe(operation) ? readProbes(operation) : []),
      ...bodyProbes(contract, operation, index, withBody[0] === operation),
      ...writeProbes(contract, operation),
    ];
    return { operation, probes };
  });
}

type Row = Pick<Probe, 'worth' | 'mostRequests' | 'ask'> & Partial<Pick<Probe, 'needsOwn' | 'isWrite'>>;

function probeOf(operation: Operation, law: string, detail: string, row: Row): Probe {
  const name = detail === '' ? law : `${law}, ${detail}`;
  return { needsOwn: true, ...row, name, checks: [protocolLaw.name], pointer: pointerOfLaw(law, operation) };
}

function edited(draft: Draft, edits: WireEdits): Draft {
  return { ...draft, edits };
}

/** Questions about a path, whatever its operations are. */
function pathProbes(declared: ReadonlySet<string>, operation: Operation): Probe[] {
  const isItem = plainPath(operation.path).endsWith('/{}');
  // Without an id, an undeclared write could change anything: only a read is sent.
  const asked = isItem ? ['PATCH', 'PUT', 'POST', 'DELETE'] : ['GET'];
  const probes = asked
    .filter((method) => !declared.has(method))
    .map((method, index) =>
      probeOf(operation, 'undeclared-method', method, {
        ...{
          worth: 4 - index / 10,
          mostRequests: method === 'GET' ? 1 : 2,
          needsOwn: false,
          isWrite: method !== 'GET',
        },
        ask: (bench) => askUndeclared(bench, method),
      }),
    );
  if (!declared.has('OPTIONS')) {
    const ask = ({ draft, send }: Bench) => done(send(withoutContent(draft, 'OPTIONS'), 'case', { polarity: 'grey' }));
    probes.push(probeOf(operation, 'options-allow', '', { worth: 3, mostRequests: 1, needsOwn: false, ask }));
  }
  return probes;
}

async function done(sent: Promise<Exchange | undefined>): Promise<string | undefined> {
  return (await sent) === undefined ? 'the budget was spent' : undefined;
}

function withoutContent(draft: Draft, method: string): Draft {
  return { ...edited(draft, { method, headers: { 'content-type': undefined } }), body: undefined };
}

/** Undeclared writes go only to objects that the run created, or to ids that a read has just shown to exist nowhere. */
async function askUndeclared(bench: Bench, method: string): Promise<string | undefined> {
  const { context, draft, isOwn, send } = bench;
  const isRead = method === 'GET';
  if (!isRead && context.permissions.readOnly) return 'a careless server might carry it out, and --read-only was given';
  const target = isRead || isOwn ? draft : await findUnknown(bench);
  if (target === undefined) return 'no id is known to exist nowhere';
  const { path } = seenOf(target);
  const known = context.resources.lastRead(draft.operation.path, path) ?? {};
  const content = Buffer.from(JSON.stringify(known));
  const asked =
    isRead || method === 'DELETE'
      ? withoutContent(target, method)
      : {
          ...edited(target, { method, headers: { 'content-type': 'application/json' }, body: () => content }),
          body: undefined,
        };
  return await done(send(asked, 'case', { polarity: 'grey' }));
}

/** The request with an id that its declared GET answers 404 or 410. */
async function findUnknown({ context, operation, draft, ofOther, facts, send }: Bench): Promise<Draft | undefined> {
  const read = context.contract.operations.find(({ method, path }) => method === 'get' && path === operation.path);
  const known = read && ofOther(read);
  const [asked, target] = [known && withUnknownId(context, known), withUnknownId(context, draft)];
  if (asked === undefined || target === undefined) return undefined;
  if (JSON.stringify(seenOf(asked).path) !== JSON.stringify(seenOf(target).path)) return undefined;
  if (facts.has(noSuchId)) return target;
  const sent = await send(asked, 'unknown id');
  if (sent?.outcome.kind !== 'answer' || ![404, 410].includes(sent.outcome.status)) return undefined;
  facts.add(noSuchId);
  return target;
}

/** Left by a probe for later ones: the server has answered that the unknown id does not exist. */
const noSuchId = 'no such id';

/** A media type that no contract lists. */
const unlistedType = 'application/vnd.conform.unlisted';

function readProbes(operation: Operation): Probe[] {
  if (operation.method !== 'get') return [];
  const types = [
    ...new Set(listedSuccesses(operation.responses).flatMap(({ contents }) => contents.map((one) => one.mediaType))),
  ];
  const concrete = types.filter((type) => !type.includes('*'));
  const asking =
    (headers: Readonly<Record<string, string>>): Probe['ask'] =>
    ({ draft, send }) =>
      // Nothing but HTTP describes an answer with a part of the content.
      done(send(edited(draft, { headers }), 'case', 'range' in headers ? { polarity: 'grey' } : {}));
  const probes: Probe[] = [];
  if (types.length > 0 && !isListed(types, unlistedType))
    probes.push(
      probeOf(operation, 'Accept', 'an unlisted type', {
        worth: 2,
        mostRequests: 1,
        ask: asking({ accept: unlistedType }),
      }),
    );
  for (const type of concrete.length > 1 ? concrete : [])
    probes.push(probeOf(operation, 'Accept', type, { worth: 3, mostRequests: 1, ask: asking({ accept: type }) }));
  probes.push(
    probeOf(operation, 'not-modified', '', { worth: 3, mostRequests: 3, ask: askNotModified }),
    probeOf(operation, 'other-if-none-match', '', { worth: 2, mostRequests: 1, ask: askOtherTag }),
    probeOf(operation, 'head-unlike-get', '', { worth: 1, mostRequests: 7, ask: askHead }),
    probeOf(operation, 'Range', '', { worth: 1.5, mostRequests: 1, ask: asking({ range: 'bytes=0-0' }) }),
  );
  return probes;
}

function answerHeader(exchange: Exchange | undefined, name: string): string | undefined {
  return exchange?.outcome.kind === 'answer' ? headerOf(exchange.outcome, name) : undefined;
}

async function askNotModified({ context, operation, draft, send }: Bench): Promise<string | undefined> {
  const known = context.accepted.get(operation);
  const isTagged = known !== undefined && isTag(headerOf(known, 'etag'));
  const tag = isTagged ? answerHeader(await send(draft, 'before'), 'etag') : undefined;
  if (!isTag(tag)) return 'no answer had an ETag';
  const sent = await send(edited(draft, { headers: { 'if-none-match': tag } }), 'case');
  if (sent !== undefined && isAccepted(sent)) await send(draft, 'after');
  return undefined;
}

async function askOtherTag({ context, operation, draft, send }: Bench): Promise<string | undefined> {
  const known = context.accepted.get(operation);
  if (known === undefined || !isTag(headerOf(known, 'etag'))) return 'no answer had an ETag';
  const headers = { 'if-none-match': '"conform-other"', 'if-modified-since': new Date(context.now).toUTCString() };
  return await done(send(edited(draft, { headers }), 'case'));
}

/** Controls follow only if HEAD differs from the accepted answer: they have to enclose another HEAD. A difference is asked for again after a pause. */
async function askHead({ context, operation, draft, send }: Bench): Promise<string | undefined> {
  const head = edited(draft, { method: 'HEAD' });
  const first = await send(head, 'case', { polarity: 'grey' });
  if (first === undefined) return 'the budget was spent';
  const known = context.accepted.get(operation);
  const length = answerHeader(first, 'content-length');
  const tag = answerHeader(first, 'etag');
  const isUsual =
    known !== undefined &&
    (length === undefined || length === headerOf(known, 'content-length')) &&
    (tag === undefined || tag === headerOf(known, 'etag'));
  if (isAccepted(first) && isUsual) return undefined;
  for (const pauseMs of [0, replicaMs]) {
    await context.wait(pauseMs);
    await send(draft, 'before');
    const again = await send(head, 'case', { polarity: 'grey' });
    const after = await send(draft, 'after');
    const hasOther = (name: string): boolean => {
      const [own, last] = [again, after].map((one) => answerHeader(one, name));
      return own !== undefined && last !== undefined && own !== last;
    };
    if (!['etag', 'content-length'].some(hasOther)) break;
  }
  return undefined;
}

/** Texts that no reading of RFC 8259 accepts, made from valid JSON. */
const malformations: Readonly<Record<string, (text: string) => string>> = {
  truncated: (text) => text.slice(0, -1),
  'trailing comma': (text) => (/[}\]]$/.test(text) ? `${text.slice(0, -1)},${text.slice(-1)}` : `${text},`),
  'two values': (text) => `${text} ${text}`,
};

function bodyProbes(contract: Contract, operation: Operation, index: number, isFirst: boolean): Probe[] {
  const { body } = operation;
  if (body === undefined) return [];
  const types = body.contents.map(({ mediaType }) => mediaType);
  const kinds = Object.keys(malformations);
  // One parser reads all content: each malformation once, and one of them for each operation.
  const hasJson = types.some(isJson);
  const isChange = kindOf(contract, operation) === 'change';
  const safely =
    (ask: Probe['ask']): Probe['ask'] =>
    (bench) =>
      isChange && !bench.isOwn && bench.context.permissions.writes !== 'all' ? Promise.resolve(mayEmpty) : ask(bench);
  const chosen = !hasJson ? [] : isFirst ? kinds : kinds.slice(index % kinds.length).slice(0, 1);
  const probes = chosen.map((kind) =>
    probeOf(operation, 'malformed-json', kind, {
      worth: 5,
      mostRequests: 1,
      ask: safely((bench) => askMalformed(bench, kind)),
    }),
  );
  const other = unlistedTypeOf(body);
  if (other !== undefined) {
    const ask = ({ draft, send }: Bench) =>
      draft.body === undefined
        ? Promise.resolve('the accepted request has no content')
        : done(send(edited(draft, { headers: { 'content-type': other } }), 'case', invalid(body.pointer, 'content')));
    probes.push(probeOf(operation, 'unlisted-media-type', '', { worth: 4.5, mostRequests: 1, ask: safely(ask) }));
  }
  if (isFirst && types.includes('application/json') && kindOf(contract, operation) !== 'remove')
    probes.push(probeOf(operation, 'media-type-parameter', '', { worth: 1.5, mostRequests: 3, ask: askParameter }));
  return probes;
}

/** A media type for content that the operation does not list; undefined if it lists all. */
export function unlistedTypeOf({ contents }: Body): string | undefined {
  const types = contents.map(({ mediaType }) => mediaType);
  return ['text/plain', 'application/xml', unlistedType].find((type) => !isListed(types, type));
}

/** A server that cannot read the content may take it for empty: `express.json()` does so for any other media type. */
const mayEmpty = 'a careless server might empty an object that the run did not create';

function invalid(pointer: string, keyword: string) {
  return { polarity: 'invalid', place: { pointer, keyword } } as const;
}

async function askMalformed({ draft, send, operation }: Bench, kind: string): Promise<string | undefined> {
  const change = malformations[kind];
  if (change === undefined || draft.body === undefined || !isJson(draft.body.content.mediaType))
    return 'the accepted request has no JSON';
  const body = (encoded: Buffer | undefined) => Buffer.from(change(encoded?.toString() ?? ''));
  // A shorter number is a number, and no content may be allowed.
  if (typeof draft.body.value === 'number') return 'the accepted request is a number';
  return await done(send(edited(draft, { body }), 'case', invalid(operation.body?.pointer ?? '', 'json')));
}

async function askParameter({ draft, send }: Bench): Promise<string | undefined> {
  if (draft.body?.content.mediaType !== 'application/json') return 'the accepted request has no JSON';
  const asked = edited(draft, { headers: { 'content-type': 'application/json; charset=utf-8' } });
  const sent = await send(asked, 'case');
  if (sent === undefined || isAccepted(sent)) return undefined;
  await send(draft, 'control');
  await send(asked, 'repeat');
  return undefined;
}

function writeProbes(contract: Contract, operation: Operation): Probe[] {
  const kind = kindOf(contract, operation);
  const isItem = slotsOf(operation.path).length > 0 && plainPath(operation.path).endsWith('/{}');
  const probes: Probe[] = [];
  if (kind === 'create' && operation.responses.some(({ status }) => status === '201'))
    probes.push(probeOf(operation, 'location-target', '', { worth: 3, mostRequests: 3, ask: askLocation }));
  if (kind !== 'change' && kind !== 'remove') return probes;
  const read = contract.operations.find(({ method, path }) => method === 'get' && path === operation.path);
  if (isItem && read !== undefined) {
    const stale: Probe['ask'] = (bench) => askStale(bench, read);
    probes.push(
      probeOf(operation, 'stale-if-match', '', { worth: kind === 'remove' ? 2 : 3, mostRequests: 1, ask: stale }),
    );
    const current: Probe['ask'] = (bench) => askCurrent(bench, read);
    const existing: Probe['ask'] = (bench) => askExisting(bench, read);
    if (kind === 'change')
      probes.push(
        probeOf(operation, 'current-if-match', '', { worth: 2, mostRequests: 6, ask: current }),
        probeOf(operation, 'existing-if-none-match', '', { worth: 2, mostRequests: 2, ask: existing }),
      );
  }
  if (operation.method === 'put' && operation.responses.some(({ status }) => status === '201'))
    probes.push(probeOf(operation, 'repeated-put', '', { worth: 2, mostRequests: 2, ask: askTwice }));
  return probes;
}

const noTag = 'no answer of the object had a strong ETag';

/** A strong tag: `If-Match` compares by the strong function, which no weak tag passes (RFC 9110, 13.1.1). */
function isStrong(tag: string | undefined): tag is string {
  return isTag(tag) && !tag.startsWith('W/');
}

async function askStale({ context, draft, isOwn, send }: Bench, read: Operation): Promise<string | undefined> {
  const known = context.accepted.get(read);
  if (!isOwn) return 'the run has no object of its own there';
  if (known === undefined || !isStrong(headerOf(known, 'etag'))) return noTag;
  // A server may accept a stale condition if the object already is as the request asks (RFC 9110, 13.1.1).
  const changed = draft.operation.method === 'delete' ? draft : withOtherContent(context, draft);
  if (changed === undefined) return 'no other valid content could be made';
  const asked = edited(changed, { headers: { 'if-match': '"conform-stale"' } });
  return await done(send(asked, 'case', { polarity: 'grey' }));
}

/** The same request with one member of its content changed; undefined if no change is valid. */
function withOtherContent({ judge }: RunContext, draft: Draft): Draft | undefined {
  const { body } = draft;
  const schema = body?.content.schema;
  if (body === undefined || schema === undefined || !isObject(body.value)) return undefined;
  for (const [name, value] of Object.entries(body.value)) {
    const others = typeof value === 'number' ? [value + 1, value - 1] : typeof value === 'string' ? [`${value}x`] : [];
    for (const other of others) {
      const changed = { ...body.value, [name]: other };
      if (judge.accepts(schema, 'request', changed)) return { ...draft, body: { ...body, value: changed } };
    }
  }
  return undefined;
}

/** A rejection is asked for again after a pause, as in `askHead`. */
async function askCurrent(
  { context, draft, isOwn, ofOther, send }: Bench,
  read: Operation,
): Promise<string | undefined> {
  const reading = ofOther(read);
  if (!isOwn || reading === undefined) return 'the run has no object of its own there';
  for (const pauseMs of [0, replicaMs]) {
    await context.wait(pauseMs);
    const tag = answerHeader(await send(reading, 'before'), 'etag');
    if (!isStrong(tag)) return noTag;
    const sent = await send(edited(draft, { headers: { 'if-match': tag } }), 'case');
    if (sent === undefined || isAccepted(sent)) break;
    await send(reading, 'after');
  }
  return undefined;
}

async function askExisting(
  { context, draft, isOwn, ofOther, send }: Bench,
  read: Operation,
): Promise<string | undefined> {
  const [known, reading] = [context.accepted.get(read), ofOther(read)];
  if (!isOwn || reading === undefined) return 'the run has no object of its own there';
  if (known === undefined || !isTag(headerOf(known, 'etag'))) return 'no answer had an ETag';
  await send(reading, 'before');
  return await done(send(edited(draft, { headers: { 'if-none-match': '*' } }), 'case', { polarity: 'grey' }));
}

async function askTwice({ draft, isOwn, send }: Bench): Promise<string | undefined> {
  if (!isOwn) return 'the run has no object of its own there';
  await send(draft, 'first');
  return await done(send(draft, 'case'));
}

async function askLocation({ context, operation, draft, send }: Bench): Promise<string | undefined> {
  const known = context.accepted.get(operation);
  if (known === undefined || headerOf(known, 'location') === undefined) return 'no accepted create had a Location';
  const created = await send(draft, 'create');
  const location = answerHeader(created, 'location');
  if (created === undefined || !isAccepted(created) || location === undefined)
    return 'no second object with a Location was created';
  const path = locationBeneath(created.request, location);
  const reads = context.contract.operations.filter(
    ({ method, target }) => method === 'get' && target === draft.operation.target,
  );
  const read = reads.find((one) => matches(one.path, path ?? ''));
  if (path === undefined || read === undefined) return 'its Location names no path of the contract';
  const hasItems = reads.some((one) => plainPath(one.path) === `${plainPath(operation.path)}/{}`);
  if (read.path === operation.path && !hasItems) return 'no operation reads the object';
  if (!context.accepted.has(read)) return 'the server accepted no read there';
  const asked: Draft = { operation: read, parameters: [], body: undefined, label: '', edits: { path } };
  const sent = await send(asked, 'case');
  // A replica may show a new object a moment later.
  if (sent === undefined || isAccepted(sent)) return undefined;
  await context.wait(replicaMs);
  return await done(send(asked, 'case'));
}
