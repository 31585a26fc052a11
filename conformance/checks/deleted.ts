// Deletions: reads and lists no longer have the object.
import type { NumberedExchange } from '../execute/exchange.ts';
import { isUnchanged, objectIn } from './compare-objects.ts';
import { statusOf } from './parts.ts';
import { idIn, itemsIn } from './stored.ts';
import {
  type Deviation,
  failureAt,
  inconclusive,
  isDone,
  isMissing,
  readBefore,
  type Story,
  storyCheck,
} from './story.ts';

/** Roles of the list with filters that select the object, or in another view. */
export const selectedRoles = { before: 'selected list', after: 'selected list after delete' } as const;

/** Roles of a PUT to the address of the deleted object, and of the read after it. */
export const lateRoles = { put: 'put after delete', read: 'late deleted read' } as const;

/** The object after an accepted deletion, as a read and the list show it; undefined where they do not settle it. */
function afterDeletion(story: Story) {
  const deletion = story.of('delete');
  if (!isDone(deletion)) return undefined;
  const [read, list, before] = [story.of('deleted read'), story.of('list after delete'), readBefore(story, deletion)];
  const [id = '', items, old] = [idIn(story), itemsIn(list, story), itemsIn(story.of('list'), story)];
  const names = Object.keys(objectIn(story.of('create')?.seen.requestBody) ?? {});
  const shown = read === undefined || before === undefined ? undefined : compare(before, read, names);
  const isMarked = shown === 'marked' || (items?.get(id) !== undefined && items.get(id) !== old?.get(id));
  const isListed = items === undefined || old?.get(id) === undefined ? undefined : items.has(id) && !isMarked;
  return { deletion, read, isRead: shown && shown === 'same', isListed };
}

/** A list with other parameters that shows the object as before its deletion; undefined if the answers do not settle it. */
function selectedIn(story: Story): NumberedExchange | 'none' | undefined {
  const [first, second] = [story.of(selectedRoles.before), story.of(selectedRoles.after)];
  const [old, now] = [first, second].map((list) => itemsIn(list, story));
  const item = old?.get(idIn(story) ?? '');
  if (!isDone(story.of('delete')) || second === undefined || item === undefined || now === undefined) return undefined;
  return now.get(idIn(story) ?? '') === item ? second : 'none';
}

/** A server that keeps the object may mark it: `"deleted": true`. @returns undefined if the answers are about something else */
function compare(
  before: NumberedExchange,
  read: NumberedExchange,
  names: readonly string[],
): 'gone' | 'marked' | 'same' | undefined {
  if (isMissing(read)) return 'gone';
  const [old, now] = [before, read].map((one) => (isDone(one) ? objectIn(one.seen.responseBody, names) : undefined));
  if (old === undefined || now === undefined) return undefined;
  // A member may differ in each read: only an object without any difference was kept.
  return Object.keys({ ...old, ...now }).every((name) => isUnchanged(old[name], now[name])) ? 'same' : 'marked';
}

const about = { place: 'object', keyword: 'deleted', clause: 'RFC 9110 9.3.5' } as const;

const example = { sent: 'DELETE /books/7, answered 204; then GET /books/7', answered: '200 {"title":"Emma"}' };

export const deleteKept = storyCheck(
  {
    name: 'delete-kept',
    about: 'a deletion is accepted, and the object is still there',
    effect: 'Clients believe that data is gone, and it is still shown to others.',
    clauses: ['RFC 9110 9.3.5'],
    example,
    fix: 'Delete the object before the answer; answer 202 if it follows later.',
    allow: 'Declare 202 for the deletion, the time by x-consistency, or a property that marks deleted objects.',
  },
  (story) => {
    const after = afterDeletion(story);
    const selected = selectedIn(story);
    if (after !== undefined && typeof selected === 'object') {
      const message = `the deletion was answered ${statusOf(after.deletion)}, and ${selected.request.path} shows the object as before`;
      return [failureAt(after.deletion, { ...about, place: 'object in a list', message })];
    }
    if (after === undefined || (after.isRead === undefined && after.isListed === undefined))
      return selected === undefined ? undefined : [];
    const { deletion, isRead, isListed } = after;
    const isKept = isListed === true || (isRead === true && isListed === undefined);
    if (!isKept) return [];
    const shown =
      isRead === true && isListed === true ? 'a read and the list show' : isRead ? 'a read shows' : 'the list has';
    const message = `the deletion was answered ${statusOf(deletion)}, and ${shown} the object as before`;
    return [failureAt(deletion, { ...about, message })];
  },
);

/** A PUT to the address of a deleted object that is answered as a change of a present one. */
function revivedIn(story: Story): Deviation | undefined {
  const [gone, put, read] = [story.of('deleted read'), story.of(lateRoles.put), story.of(lateRoles.read)];
  if (gone === undefined || !isMissing(gone) || !isDone(put) || read === undefined) return undefined;
  // A PUT that creates an object is answered 201.
  if (statusOf(put) === 201 || !(isDone(read) || isMissing(read))) return undefined;
  const message = `after its deletion a read was answered ${statusOf(gone)}, and a PUT to its address ${statusOf(put)}, not 201; the next read is answered ${statusOf(read)}`;
  return failureAt(put, { place: 'put after delete', keyword: 'revived', clause: 'RFC 9110 9.3.4', message });
}

export const useAfterFree = storyCheck(
  {
    name: 'use-after-free',
    about: 'a deleted object is gone from its list, and can still be read or changed by its id',
    effect: 'Data that was deleted is still given to everyone who knows its address.',
    clauses: ['RFC 9110 9.3.5', 'RFC 9110 9.3.4'],
    example,
    fix: 'Answer 404 or 410 to requests about deleted objects, and 201 to a PUT that creates an object anew.',
    allow:
      'Declare a property that marks deleted objects, such as deletedAt. A read alone is inconclusive: only `--fail-on suspect` counts it.',
  },
  (story) => {
    const { read, isRead, isListed, deletion } = afterDeletion(story) ?? {};
    const revived = revivedIn(story);
    if (revived !== undefined) return [revived];
    const put = story.of(lateRoles.put);
    const isRejected = put !== undefined && isMissing(put);
    if (read === undefined || deletion === undefined || isRead === undefined || isListed !== false)
      return isRejected ? [] : undefined;
    if (!isRead) return [];
    const message = `the deletion was answered ${statusOf(deletion)}, the list has the object no longer, and a read shows it`;
    // Representations of a deleted resource might not be destroyed, as in a trash.
    return [inconclusive(failureAt(read, { ...about, message }))];
  },
);
