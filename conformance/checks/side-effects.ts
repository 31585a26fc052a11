// Side effects: reads change nothing, a write changes no other object, and a rejected write changes none.
import { headerOf, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { idsAmong } from '../resources/collections.ts';
import { readScalars, type Scalars } from '../resources/read-items.ts';
import { normal, slotsOf } from '../resources/slots.ts';
import type { RunContext } from './check.ts';
import { comparableMembers, isUnchanged, objectIn, shownIn } from './compare-objects.ts';
import { statusOf } from './parts.ts';
import { addedBy, failureOf, idOf, spelled } from './stored.ts';
import {
  type Deviation,
  failureAt,
  inconclusive,
  isDone,
  isMissing,
  isWrittenBetween,
  readAfter,
  readBefore,
  type Story,
  storyCheck,
} from './story.ts';

/** The members that differ between two reads of one object, without those that change by themselves. */
export function differences(
  context: RunContext,
  { of }: Story,
  before: NumberedExchange,
  after: NumberedExchange,
): readonly { readonly name: string; readonly pointer: string; readonly from: unknown; readonly to: unknown }[] {
  const members = comparableMembers(context, before);
  const names = [...members.keys()];
  const [old, now] = [shownIn(before, names), shownIn(after, names)];
  const [first, again] = [shownIn(of('read'), names), shownIn(of('read again'), names)];
  if (old === undefined || now === undefined) return [];
  const sent = [of('create'), of('second create')].map((create) => objectIn(create?.seen.requestBody, names));
  return [...members].flatMap(([name, pointer]) => {
    const isStable = again === undefined || isUnchanged(first?.[name], again[name]);
    // The server may fill in and change any other member.
    if (!sent.some((one) => one !== undefined && Object.hasOwn(one, name))) return [];
    return isStable && !isUnchanged(old[name], now[name]) ? [{ name, pointer, from: old[name], to: now[name] }] : [];
  });
}

export const readWrites = storyCheck(
  {
    name: 'read-writes',
    about:
      'a read changes the object: two reads without a write between them show other values than the first was sent',
    effect: 'Caches, crawlers and repeated requests change data.',
    clauses: ['RFC 9110 9.2.1'],
    example: {
      sent: 'POST /books {"title":"Emma","pages":474}, then GET /books/8 twice',
      answered: 'first "pages":474, then "pages":475',
    },
    fix: 'Make GET safe: move the change into a POST.',
    allow: 'Declare a property that varies by itself x-volatile.',
  },
  (story, context) => {
    const [create, read, again] = [story.of('create'), story.of('read'), story.of('read again')];
    if (create === undefined || read === undefined || again === undefined || !isDone(read)) return undefined;
    if (isMissing(again)) {
      const message = `the first read is answered ${statusOf(read)}, the second ${statusOf(again)}`;
      // An object may be meant to be read once.
      return [inconclusive(failureAt(again, { place: 'object', keyword: 'gone', clause: 'RFC 9110 9.2.1', message }))];
    }
    const members = comparableMembers(context, read);
    const names = [...members.keys()];
    const [sent, first, second] = [
      objectIn(create.seen.requestBody, names),
      shownIn(read, names),
      shownIn(again, names),
    ];
    if (sent === undefined || first === undefined || second === undefined || members.size === 0) return undefined;
    return [...members].flatMap(([name, pointer]): Deviation[] => {
      // A member that the client has set does not vary by itself.
      if (!Object.hasOwn(sent, name) || !isUnchanged(sent[name], first[name])) return [];
      if (isUnchanged(first[name], second[name])) return [];
      const message = `two reads without a write between them show ${name} as ${spelled(first[name])} and ${spelled(second[name])}`;
      const about = { keyword: 'read', clause: 'RFC 9110 9.2.1', message };
      return [
        {
          exchange: again,
          failure: { ...failureOf(context, again, { name, pointer }, about), place: `answer /${name}` },
        },
      ];
    });
  },
);

export const writeSpills = storyCheck(
  {
    name: 'write-spills',
    about: 'a write to one object changes or removes another',
    effect: 'A client destroys data that its request does not name.',
    clauses: ['RFC 9110 9.3'],
    example: {
      sent: 'GET /books/9, then PUT /books/8 {"pages":500}',
      answered: '200; GET /books/9 has "pages":500 too',
    },
    fix: 'Select the object by its id in each statement that writes.',
    allow: 'Declare the property readOnly if the server derives it from other objects.',
  },
  (story, context) => {
    const [first, second] = [story.of('create'), story.of('second create')];
    if (!isDone(first) || !isDone(second)) return undefined;
    // `id-collides` judges two creates of one id.
    if (idOf(story.of('read')) === idOf(story.of('other read'))) return undefined;
    const changes = story.steps.filter((step) => /^change/.test(step.intent.probe?.role ?? '') && isDone(step));
    const change = changes.at(-1);
    const pairs = [
      { before: story.of('early read'), after: story.of('read'), write: second },
      { before: story.of('other read'), after: story.of('late other read'), write: change },
      { before: story.of('late other read'), after: story.of('other read after delete'), write: story.of('delete') },
    ];
    const judged = pairs.flatMap((pair) =>
      pair.before !== undefined && pair.after !== undefined && pair.write !== undefined && isDone(pair.before)
        ? [{ before: pair.before, after: pair.after, write: pair.write }]
        : [],
    );
    if (judged.length === 0) return undefined;
    return judged.flatMap((pair): readonly Deviation[] => {
      const { write } = pair;
      const own = write.operation.method === 'post' ? 'RFC 9110 9.3.3' : 'RFC 9110 9.3.4';
      if (isMissing(pair.after)) {
        const message = `after ${write.operation.id}, another object cannot be read`;
        const found = failureAt(write, { place: 'other object', keyword: 'other', clause: own, message });
        // A collection may keep only its last objects.
        return [write.operation.method === 'post' ? inconclusive(found) : found];
      }
      return differences(context, story, pair.before, pair.after).map(({ name, pointer, from, to }): Deviation => {
        const write = (pair.write === change && senderOf(changes, name, to)) || pair.write;
        const message = `${write.operation.id} has changed ${name} of another object from ${spelled(from)} to ${spelled(to)}`;
        const failure = failureOf(context, write, { name, pointer }, { keyword: 'other', clause: own, message });
        // An exclusive flag or a position of another object may follow from the write.
        const isSame = isUnchanged(objectIn(write.seen.requestBody, [name])?.[name], to);
        const severity = isSame ? 'defect' : 'suspect';
        return { exchange: write, failure: { ...failure, severity, place: `other object /${name}` } };
      });
    });
  },
);

/** The last of several writes that sent this value; otherwise the last of all. */
function senderOf(writes: Trace, name: string, value: unknown): NumberedExchange | undefined {
  const sent = writes.findLast(({ seen }) => isUnchanged(objectIn(seen.requestBody, [name])?.[name], value));
  return sent ?? writes.at(-1);
}

export const idCollides = storyCheck(
  {
    name: 'id-collides',
    about: 'two creates with different content give the same id',
    effect: 'One object hides or replaces the other.',
    clauses: ['RFC 9110 9.3.3'],
    example: {
      sent: 'POST /books {"title":"Emma"}, then POST /books {"title":"Dune"}',
      answered: '201 {"id":8} to both',
    },
    fix: 'Give each new object an id that no other has.',
    allow: 'Declare x-idempotency: natural if a create may return an object that exists.',
  },
  (story) => {
    const [first, second] = [story.of('create'), story.of('second create')];
    const read = story.of('read');
    const [id, other] = [idOf(story.of('other read')), idOf(read)];
    if (!isDone(first) || !isDone(second) || first.operation.extensions.isIdempotent) return undefined;
    if (id === undefined || other === undefined) return undefined;
    // A replay reads one object twice if the recorded ids were the same.
    if (id !== other || ![first, second].every((create) => showsText(create, id))) return [];
    // Clients name the objects: the second create may replace the first object.
    if ([first, second].every((create) => isChosenByClient(create, id, read))) return undefined;
    const message = `two creates with different content gave the id ${spelled(id)}`;
    const found = failureAt(second, { place: 'object', keyword: 'id', clause: 'RFC 9110 9.3.3', message });
    // Any other status may mean that the object was there.
    return [[first, second].every((create) => statusOf(create) === 201) ? found : inconclusive(found)];
  },
);

/** Whether a create sent this id in a member that shows it in the answer, or in any if the answers show it in none. */
function isChosenByClient(create: NumberedExchange, id: string, read: NumberedExchange | undefined): boolean {
  const shown = [create, read].map((one) => scalarsOf(one?.seen.responseBody, id)).find(({ size }) => size > 0);
  const ids = idsAmong(shown ?? new Map(), read && slotsOf(read.operation.path).at(-1));
  // A number equals the id by chance, as `copies` does, unless no other member shows it.
  const telling = [...(shown ?? [])].filter(([member, value]) => typeof value === 'string' || ids.has(member));
  const names = new Set((telling.length > 0 ? telling : [...(shown ?? [])]).map(([member]) => lastName(member)));
  return [...scalarsOf(create.seen.requestBody, id).keys()].some(
    (member) => names.size === 0 || names.has(lastName(member)),
  );
}

/** The members of a body with this value. */
function scalarsOf(body: unknown, value: string): Scalars {
  return new Map([...readScalars(body)].filter(([, own]) => String(own) === value));
}

/** `book.code` of a body in a wrapper is `code` of one without. */
function lastName(member: string): string {
  return normal(member.split('.').at(-1) ?? '');
}

function showsText({ outcome, seen }: NumberedExchange, text: string): boolean {
  const location = outcome.kind === 'answer' ? headerOf(outcome, 'location') : undefined;
  return [location ?? '', JSON.stringify(seen.responseBody) ?? ''].some((part) => part.includes(text));
}

export const failedWriteLeftTrace = storyCheck(
  {
    name: 'failed-write-left-trace',
    about: 'a write is rejected, and has changed or created something',
    effect: 'A client repeats or corrects the request, and works on data that it does not know.',
    clauses: ['RFC 9110 15.5'],
    example: { sent: 'PUT /books/7 {"title":"Dune","pages":"many"}', answered: '400; GET /books/7 has "title":"Dune"' },
    fix: 'Validate the whole request before the first change, or write in one transaction.',
    allow: 'None: a 4xx means that the request was not carried out.',
  },
  (story, context) => {
    const clause = 'RFC 9110 15.5.1';
    const rejected = story.steps.filter(isRejected);
    const of = (role: string) => rejected.filter(({ intent }) => intent.probe?.role.startsWith(`rejected ${role}`));
    const changed = of('change').flatMap((change): (readonly Deviation[])[] => {
      const [before, after] = [readBefore(story, change), readAfter(story, change)];
      if (before === undefined || after === undefined || !isDone(after)) return [];
      // An accepted write may have changed the object.
      if (isWrittenBetween(story, before, after)) return [];
      const together = of('change').filter(({ number }) => before.number < number && number < after.number);
      const own = differences(context, story, before, after).filter(
        ({ name, to }) => senderOf(together, name, to) === change,
      );
      const found = own.map(({ name, pointer, from, to }): Deviation => {
        const message = `the request was answered ${statusOf(change)}, and has changed ${name} from ${spelled(from)} to ${spelled(to)}`;
        const failure = failureOf(context, change, { name, pointer }, { keyword: 'changed', clause, message });
        return { exchange: change, failure };
      });
      return [found];
    });
    const created = of('create').flatMap((create): (readonly Deviation[])[] => {
      const added = addedBy(story, context, create);
      const message = `the create was answered ${statusOf(create)}, and the list has a new object with its content`;
      if (added === undefined) return [];
      return [added === 0 ? [] : [failureAt(create, { place: 'list', keyword: 'created', clause, message })]];
    });
    const judged = [...changed, ...created];
    return judged.length === 0 ? undefined : judged.flat();
  },
);

function isRejected(exchange: NumberedExchange): boolean {
  return [400, 409, 415, 422].includes(statusOf(exchange));
}
