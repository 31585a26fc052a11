import type { JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import type { SchemaReader } from './read-schemas.ts';
import { plainName } from './template.ts';

/** Values for verbs that their past tense does not begin with. */
const irregular: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    pay: ['paid'],
    send: ['sent'],
    hold: ['held', 'onhold'],
    start: ['started', 'running', 'inprogress', 'active'],
    run: ['running'],
    stop: ['stopped'],
    resume: ['resumed', 'running', 'active'],
    reopen: ['reopened', 'open'],
    restart: ['restarted', 'running', 'active'],
    finish: ['finished', 'done', 'completed'],
    complete: ['completed', 'done'],
    deny: ['denied'],
    sell: ['sold'],
    return: ['returned'],
    unpublish: ['unpublished', 'draft'],
    unarchive: ['unarchived', 'active'],
    restore: ['restored', 'active'],
    disable: ['disabled', 'inactive'],
    deactivate: ['deactivated', 'inactive'],
    enable: ['enabled', 'active'],
    unlock: ['unlocked'],
  }),
);

const opposites: ReadonlyMap<string, string> = new Map(
  Object.entries({ disable: 'enable', deactivate: 'activate', hide: 'show' }),
);

/**
 * The members that an action on an item sets: `cancel` sets a member whose enum has `cancelled`, one that is called `isCancelled`, and the
 * time `cancelledAt`.
 *
 * @param isUndone whether the method takes the action back: `DELETE /gists/{id}/star`
 */
export function actOn(
  reader: SchemaReader,
  views: readonly SchemaNode[],
  verb: string,
  { isUndone, timeFor }: { readonly isUndone: boolean; readonly timeFor: (node: SchemaNode) => unknown },
): JsonObject {
  const members = new Map(views.flatMap((view) => [...reader.membersOf(view)]));
  const set: Record<string, unknown> = {};
  const opposite = opposites.get(verb) ?? /^(?:un|de)(?=\w{4})(.+)$/.exec(verb)?.[1];
  for (const [name, member] of members) {
    const plain = plainName(name).replace(/^(?:is|has)(?=\w{4})/, '');
    if (reader.isOnly(member, 'boolean')) {
      if (isPast(verb, plain)) set[name] = !isUndone;
      else if (opposite !== undefined && isPast(opposite, plain)) set[name] = isUndone;
      continue;
    }
    const [, timed] = /^(.+?)(?:at|on|date|time)$/.exec(plain) ?? [];
    if (timed !== undefined && isPast(verb, timed) && !isUndone) {
      const time = timeFor(member);
      if (time !== undefined) set[name] = time;
    }
    const values = reader.form.branch(member).values;
    if (values === undefined || values.length < 2 || isUndone) continue;
    const wished = irregular.get(verb) ?? [];
    const texts = values.filter((value) => typeof value === 'string');
    const found =
      wished.map((wish) => texts.find((text) => plainName(text) === wish)).find((text) => text !== undefined) ??
      texts.find((text) => isPast(verb, plainName(text)));
    if (found !== undefined) set[name] = found;
  }
  return set;
}

/** `cancel` and `canceled`, `activate` and `active`: the words share all but the last letters. */
function isPast(verb: string, word: string): boolean {
  const stem = verb.replace(/(?:e|y)$/, '');
  const least = Math.max(Math.min(4, stem.length), stem.length - 2);
  let shared = 0;
  while (shared < stem.length && stem[shared] === word[shared]) shared += 1;
  return shared >= least && word.length - shared <= 4;
}
