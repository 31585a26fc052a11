// Unusual and hostile text in the free strings of an accepted request, several texts at a time.
import type { RunContext } from '../checks/check.ts';
import { changedTexts, textChanged } from '../checks/text-changed.ts';
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import {
  fitTexts,
  mostCharacters,
  type TextFamily,
  type TextRow,
  textFamilies,
  textRows,
} from '../data/text-families.ts';
import { validityOf } from '../data/wire-validity.ts';
import { type Draft, type Exchange, type Intent, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { echoesOf, normaliseBody } from '../failures/failure.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { mayRepeat, type Permissions } from '../plan/permissions.ts';
import { keyOf } from '../rejections/constraints.ts';
import { valueAt } from '../rejections/find-place.ts';
import { readRejection } from '../rejections/read-rejection.ts';
import { pathValues } from '../resources/addresses.ts';
import { operationAt, plainPath } from '../resources/slots.ts';
import { freshOf } from '../search/apply-constraints.ts';
import { isUniqueName } from '../search/build-request.ts';
import { addressOfCreated, withNewNames } from './own-objects.ts';
import { type Bench, type More, mayVary, type OperationProbes, type Probe } from './probe.ts';
import { moveTo } from './request-objects.ts';
import { isSendable, type Placed, placesOf, plainText, type TextPlace, withTexts } from './text-places.ts';

export function planText(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return operations
    .filter((one) => mayVary(contract, one, permissions))
    .map((operation, index) => {
      const probes: More['probes'] = (context, accepted) => probesOf(context, accepted, index);
      return { operation, probes: [], more: { probes, mostWorth: worths.scripts } };
    });
}

/** Chance of a defect by row: the first has text that people write. */
const worths: Readonly<Record<TextRow, number>> = { scripts: 3.5, signs: 1.8, grey: 1.6, words: 1.3, longest: 1.2 };

/** A row with its answer read back, a repetition, a control and deletions; a row that failed takes six requests to reduce. */
const mostRequests = 11;

function* probesOf(context: RunContext, accepted: Draft, index: number): Generator<Probe> {
  const places = placesOf(context, accepted);
  if (places.length === 0) return;
  const sent = { count: 0 };
  for (const row of textRows) {
    const { operation } = accepted;
    const pointer = operation.body?.pointer ?? operation.pointer;
    const about: About = { row, places, index, sent };
    const probe = {
      name: `text, ${row}`,
      checks: [textChanged.name],
      pointer,
      worth: worths[row],
      mostRequests,
      needsOwn: true,
    };
    const ask = (bench: Bench) => askRow(bench, about, probe);
    yield { ...probe, ask };
  }
}

interface About {
  readonly row: TextRow;
  readonly places: readonly TextPlace[];
  /** Index of the operation: a family has another place in the next one. */
  readonly index: number;
  /** Requests of the operation so far. */
  readonly sent: { count: number };
}

/** A family at a place. */
interface Pair {
  readonly place: TextPlace;
  readonly family: TextFamily;
}

/** Each family of the row at a place; a word and a long text are alone there. */
function pairsOf({ row, places, index }: About): readonly Pair[] {
  const families = textFamilies.filter((family) => family.row === row);
  const isOne = row === 'words' || row === 'longest';
  const count = isOne ? places.length : Math.max(places.length, families.length);
  return Array.from({ length: count }, (_, number) => number).flatMap((number): Pair[] => {
    const [place, family] = [places[number % places.length], families[(number + index) % families.length]];
    return place === undefined || family === undefined ? [] : [{ place, family }];
  });
}

interface Sending {
  readonly bench: Bench;
  readonly about: About;
  /** Sends the accepted request with these texts. */
  readonly sendTexts: (texts: readonly Placed[], role: string, aim?: Aim) => Promise<Exchange | undefined>;
  readonly sendPairs: (pairs: readonly Pair[], role: string, aim?: Aim) => Promise<Exchange | undefined>;
}

type Aim = Partial<Pick<Intent, 'polarity' | 'place'>>;

/** A row and its parts fail for one cause, even if a server describes each failure in other words. */
const groupOf = ({ row }: About): readonly string[] => [`text, ${row}`];

function startSending(bench: Bench, about: About): Sending {
  const { context, draft, operation, send } = bench;
  const tools = toolsFor(context, operation, 'text', textRows.indexOf(about.row));
  const isCreate = kindOf(context.contract, operation) === 'create';
  /** Names that no earlier request has used, so that the server accepts another object. */
  const freshDraft = (): Draft => {
    about.sent.count += 1;
    return isCreate ? withNewNames(tools, draft, about.sent.count) : draft;
  };
  const sendTexts: Sending['sendTexts'] = (texts, role, aim = {}) => {
    const asked = withTexts(freshDraft(), texts);
    const validity = validityOf(context.judge, asked, context.contract);
    if (validity === 'invalid' || !isSendable(context, asked)) return Promise.resolve(undefined);
    return send(asked, role, { polarity: validity, groups: groupOf(about), ...aim });
  };
  const sendPairs: Sending['sendPairs'] = (pairs, role, aim) => {
    const byPlace = [...Map.groupBy(pairs, ({ place }) => place)];
    // Long texts share the size of one request.
    const room = Math.floor(mostCharacters / Math.max(1, byPlace.length));
    const texts = byPlace.flatMap(([place, own]): Placed[] => {
      const isUnique = isCreate && isUniqueName(place.name) && about.row !== 'words';
      const ending = isUnique ? ` ${context.tag}-${freshOf(tools, about.sent.count + 1)}` : '';
      const families = own.map(({ family }) => family).filter((family) => mayStand(context, draft, place, family));
      const text = fitTexts(families, { ...place, maxLength: Math.min(place.maxLength, room) }, ending)?.text;
      return text === undefined ? [] : [{ place, text }];
    });
    return texts.length === 0 ? Promise.resolve(undefined) : sendTexts(texts, role, aim);
  };
  return { bench, about, sendTexts, sendPairs };
}

/** Whether a family keeps its meaning at a place, and no reading makes it invalid. */
function mayStand({ judge, contract }: RunContext, draft: Draft, place: TextPlace, family: TextFamily): boolean {
  const text = fitTexts([family], place)?.text;
  if (text === undefined) return false;
  if (place.parameter?.in === 'header' && !/^[\x21-\x7e][\x20-\x7e]*$/.test(text)) return false;
  // No percent-encoding has a lone surrogate.
  if (isInHead(draft, place) && !text.isWellFormed()) return false;
  return validityOf(judge, withTexts(draft, [{ place, text }]), contract) !== 'invalid';
}

function isInHead({ body }: Draft, { parameter }: TextPlace): boolean {
  return parameter !== undefined || body === undefined || !isJson(body.content.mediaType);
}

async function askRow(bench: Bench, about: About, probe: Omit<Probe, 'ask'>): Promise<string | undefined> {
  const { context, operation, draft, facts } = bench;
  const isChange = kindOf(context.contract, operation) === 'change';
  if (isChange && !bench.isOwn && context.permissions.writes !== 'all')
    return 'the text would replace that of an object that the run did not create';
  const sending = startSending(bench, about);
  let pairs = choosePairs(about, facts);
  let sent = await sending.sendPairs(pairs, 'case');
  const strict = sent === undefined ? [] : strictPlaces(context, sent);
  for (const key of strict) facts.add(key);
  if (sent !== undefined && isRejected(sent) && strict.length === 0) facts.add(onePlace);
  if (strict.length > 0) {
    pairs = choosePairs(about, facts);
    sent = (pairs.length === 0 ? undefined : await sending.sendPairs(pairs, 'case')) ?? sent;
  }
  if (sent === undefined) return 'no text of these families may be sent there';
  if (isFailure(sent)) {
    const cause = causeOf(sent);
    if (facts.has(cause)) return undefined;
    facts.add(cause);
    const reduce = (own: Bench, isProven: boolean) => reduceRow(startSending(own, about), pairs, sent, isProven);
    if (mayRepeat(operation, sent.request.method)) await reduce(bench, true);
    // A failure that may not be repeated is only proven while no other request is in flight.
    else bench.follow({ ...probe, worth: mostUrgent, isAlone: true, ask: (own) => reduce(own, false) });
    return undefined;
  }
  if (isSafe(operation) || !isAccepted(sent)) return undefined;
  await compareRow(sending, pairs, sent);
  // Later reads meet the text no more.
  if (isChange) await bench.send(draft, 'put back');
  else await bench.undo(sent);
  return undefined;
}

/** Left by a row that was rejected as a whole: later rows change one place each. */
const onePlace = 'one place';

/** Before all other probes. */
const mostUrgent = 100;

function choosePairs(about: About, facts: ReadonlySet<string>): readonly Pair[] {
  const open = about.places.filter(({ key }) => !facts.has(key));
  const turn = textRows.indexOf(about.row) + about.index;
  const places = facts.has(onePlace) ? open.slice(turn % Math.max(1, open.length)).slice(0, 1) : open;
  return pairsOf({ ...about, places });
}

function isRejected({ outcome }: Exchange): boolean {
  return outcome.kind === 'answer' && [400, 413, 414, 422, 431].includes(outcome.status);
}

/** Places that a rejection names: the server is stricter there than the contract. */
function strictPlaces({ contract }: RunContext, sent: Exchange): readonly string[] {
  if (!isRejected(sent)) return [];
  const { observations = [] } = readRejection(contract, sent) ?? {};
  return observations.flatMap(({ place }) => (place === undefined ? [] : [keyOf(place)]));
}

/** A fact for later rows: one failure is reduced once. */
function causeOf({ outcome, seen }: Exchange): string {
  return outcome.kind === 'none' ? '' : `${outcome.status} ${normaliseBody(outcome.body.toString(), echoesOf(seen))}`;
}

function isFailure({ outcome }: Exchange): boolean {
  return outcome.kind === 'answer' && outcome.status >= 500 && ![501, 503].includes(outcome.status);
}

/**
 * Halves a row that failed, down to one family at one place if it fails alone: the smallest request is reported.
 *
 * @param isRepeatable whether the runner repeats a failure by itself; otherwise a row of one text is sent once more
 */
async function reduceRow(
  { bench, sendPairs }: Sending,
  row: readonly Pair[],
  failed: Exchange,
  isRepeatable: boolean,
): Promise<undefined> {
  const failsAlike = (sent: Exchange | undefined): sent is Exchange =>
    sent?.outcome.kind === 'answer' &&
    failed.outcome.kind === 'answer' &&
    sent.outcome.status === failed.outcome.status;
  let [left, smallest, isProven] = [row, failed, isRepeatable];
  for (;;) {
    const half = left.slice(0, Math.ceil(left.length / 2));
    if (half.length === left.length && isProven) return;
    const sent = await sendPairs(half, 'smaller');
    if (sent === undefined && half.length === left.length) return;
    isProven = failsAlike(sent);
    if (isProven && sent !== undefined) {
      bench.superseded.add(smallest);
      [left, smallest] = [half, sent];
    } else if (half.length === left.length) return;
    else left = left.slice(half.length);
  }
}

/** Repeats the first text that came back changed alone, and then sends plain text of the same size in its place. */
async function compareRow(sending: Sending, pairs: readonly Pair[], sent: Exchange): Promise<void> {
  const { bench, sendPairs, sendTexts } = sending;
  const isCreate = kindOf(bench.context.contract, bench.operation) === 'create';
  const read = await readBack(bench, sent, 'case read');
  const changed = changedTexts(bench.context, sent, read ?? sent).flatMap(({ tokens, read: text }) => {
    const own = pairs.filter(
      ({ place }) => place.parameter === undefined && place.tokens.join('/') === tokens.join('/'),
    );
    const lost = own.filter(({ family }) => !text.includes(family.text));
    return lost[0] ?? own[0] ?? [];
  });
  const [first] = changed;
  if (first === undefined) return;
  const { place, family } = first;
  const isLimit = family.row === 'longest' && Number.isFinite(place.maxLength);
  const keyword = isLimit ? 'maxLength' : 'type';
  const again = await sendPairs([first], 'repeat', {
    place: { pointer: joinPointer(place.pointer, keyword), keyword },
  });
  if (again === undefined) return;
  await readBack(bench, again, 'repeat read');
  if (isCreate) await bench.undo(again);
  const text = valueAt(again.seen.requestBody, place.tokens);
  const octets = Buffer.byteLength(typeof text === 'string' ? text : '');
  const control = await sendTexts(
    [{ place, text: plainText(place, family.row === 'longest' ? 8 : octets) }],
    'control',
  );
  if (control === undefined) return;
  await readBack(bench, control, 'control read');
  if (isCreate) await bench.undo(control);
}

/** Reads the object that a write has created or changed, if the contract declares a read that was accepted before. */
async function readBack(bench: Bench, written: Exchange, role: string): Promise<Exchange | undefined> {
  const { context, operation, ofOther, send } = bench;
  const { contract } = context;
  if (!isAccepted(written)) return undefined;
  const address =
    kindOf(contract, operation) === 'create'
      ? addressOfCreated(context, written)
      : { key: plainPath(operation.path), values: pathValues(operation, written.seen) };
  const read = operationAt(contract, 'get', address?.key);
  const draft = read && ofOther(read);
  return address === undefined || draft === undefined ? undefined : send(moveTo(draft, address.values), role);
}
