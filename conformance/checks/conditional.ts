// Preconditions with tags of earlier representations: the tag of an object changes with it, and an old one is recognised.
import { isSame } from '../contract/document.ts';
import { headerOf, type NumberedExchange } from '../execute/exchange.ts';
import type { RunContext } from './check.ts';
import { agrees, objectIn, shownIn } from './compare-objects.ts';
import { statusOf } from './parts.ts';
import { differences } from './side-effects.ts';
import {
  changesIn,
  type Deviation,
  failureAt,
  isDone,
  membersOf,
  readAfter,
  readBefore,
  type Story,
  storyCheck,
} from './story.ts';

export function tagIn({ outcome }: Pick<NumberedExchange, 'outcome'>): string | undefined {
  const tag = outcome.kind === 'none' ? undefined : headerOf(outcome, 'etag');
  // The weak function allows equal tags for equivalent representations (RFC 9110, 8.8.1).
  return tag !== undefined && /^"[^"]*"$/.test(tag) ? tag : undefined;
}

/** Whether a precondition has this tag: in a replay, it may have another one. */
function hasTag({ request }: NumberedExchange, tag: string): boolean {
  return request.headers.some(([name, value]) => /^if-(none-)?match$/i.test(name) && value === tag);
}

/** The role of two changes in flight at the same time. */
export const roleWithOneTag = 'write at once';

/** Whether two different changes with one tag were both carried out: the second one to come overwrites the first. */
function lostAtOnce(story: Story): readonly Deviation[] {
  const [first, second] = story.all(roleWithOneTag);
  if (!isDone(first) || !isDone(second) || isSame(first.seen.requestBody, second.seen.requestBody)) return [];
  // A change that the server does not store as sent may leave the representation, and its tag, as they were.
  if (![first, second].every(isShownAsSent)) return [];
  const message = `two changes with one tag in If-Match were in flight at the same time and answered ${statusOf(first)} and ${statusOf(second)}: one of them is lost`;
  return [failureAt(second, { place: 'object', keyword: 'lost-at-once', clause: 'RFC 9110 13.1.1', message })];
}

function isShownAsSent(change: NumberedExchange): boolean {
  const sent = objectIn(change.seen.requestBody) ?? {};
  const shown = shownIn(change, Object.keys(sent));
  return Object.entries(sent).every(([name, value]) => shown?.[name] === undefined || agrees(value, shown[name]));
}

/** Whether a change with the tag of an earlier representation was carried out, although an unknown tag was rejected. */
function lostUpdate(story: Story, context: RunContext, old: string): readonly Deviation[] | undefined {
  const [unknown, stale] = [story.of('write with an unknown tag'), story.of('write with an old tag')];
  // `protocol-law` judges a server that ignores If-Match.
  if (unknown === undefined || stale === undefined || statusOf(unknown) !== 412 || !hasTag(stale, old))
    return undefined;
  const [before, after] = [readBefore(story, stale), readAfter(story, stale)];
  if (!isDone(stale)) return lostAtOnce(story);
  if (before === undefined || after === undefined) return [];
  if (differences(context, story, before, after).length === 0) return [];
  const message = `If-Match had the tag of an earlier representation, and the answer is ${statusOf(stale)}: the later change is lost`;
  return [failureAt(stale, { place: 'object', keyword: 'lost-update', clause: 'RFC 9110 13.1.1', message })];
}

export const conditional = storyCheck(
  {
    name: 'conditional',
    about: 'an object changes and its ETag does not, or the server accepts the tag of an earlier representation',
    effect: 'Clients work on old copies, or overwrite the changes of others that If-Match should protect.',
    clauses: ['RFC 9110'],
    example: {
      sent: 'GET /books/7 (ETag "1"), a change, GET /books/7 (ETag "2"), then PUT /books/7 with If-Match: "1"',
      answered: '200: the change is lost',
    },
    fix: 'Derive the tag from the stored object or its version, and compare it before each write.',
    allow: 'Send no ETag, or a weak one, if the server cannot compare representations.',
  },
  (story, context) => {
    if (membersOf(story, context).length === 0) return undefined;
    const changes = changesIn(story).flatMap((change) => {
      const { before, after } = change;
      const [old, now] = [tagIn(before), tagIn(after)];
      if (old === undefined || now === undefined || shownIn(after) === undefined) return [];
      const changed = differences(context, story, before, after);
      return changed.length === 0 ? [] : [{ ...change, old, now, changed }];
    });
    const [first] = changes;
    if (first === undefined) return undefined;
    const { old, now } = first;
    const same = changes.find((one) => one.old === one.now);
    if (same !== undefined) {
      const { write, after, changed } = same;
      const names = changed.map(({ name }) => name).join(', ');
      const message = `${write.operation.id} has changed ${names}, and the ETag is ${same.now} as before`;
      return [failureAt(after, { place: 'ETag', keyword: 'same-tag', clause: 'RFC 9110 8.8.1', message })];
    }
    const cached = story.of('cached read');
    if (cached !== undefined && statusOf(cached) === 304 && hasTag(cached, old)) {
      const message = `If-None-Match had ${old}, the tag of an earlier representation, and the answer is 304; the tag is ${now}`;
      return [failureAt(cached, { place: 'status', keyword: 'stale-304', clause: 'RFC 9110 13.1.2', message })];
    }
    return lostUpdate(story, context, old) ?? [];
  },
);
