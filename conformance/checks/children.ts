// Objects beneath another one: their parent is there as soon as its create was answered.
import { arrayAt } from '../contract/document.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { isIdName } from '../resources/slots.ts';
import type { RunContext } from './check.ts';
import { isEmpty, isUnchanged, objectIn, shownIn } from './compare-objects.ts';
import { statusOf } from './parts.ts';
import { machineOf, propertiesRead, readState } from './states.ts';
import { failureAt, inconclusive, isDone, isMissing, type Story, storyCheck } from './story.ts';

export const childOrphaned = storyCheck(
  {
    name: 'child-orphaned',
    about: 'an object is created and can be read, and a create or a read of an object beneath it is answered 404',
    effect: 'Clients cannot use what they have just created.',
    clauses: ['RFC 9110'],
    example: {
      sent: 'POST /projects {"name":"Emma"}, answered 201 {"id":8}; then POST /projects/8/tasks {"name":"Dune"}',
      answered: '404',
    },
    fix: 'Look up the parent where its create has stored it, for the same account and in the same transaction.',
    allow: 'Declare 202 for the create of the parent, or the time after which it is known by x-consistency.',
  },
  (story, context) => {
    const [create, read, child] = [story.of('create'), story.of('read'), story.of('child create')];
    if (!isDone(create) || !isDone(read) || child === undefined) return undefined;
    const machine = machineOf(context.contract, read.operation);
    const state = machine && readState(machine, read);
    // The object is not ready yet.
    if (state !== undefined && !state.isEnded) return undefined;
    const shown = story.of('child read');
    if (isDone(child)) {
      if (shown === undefined || !isMissing(shown)) return shown === undefined || isDone(shown) ? [] : undefined;
      const message = `${child.operation.id} created an object in a new one, and a read of it is answered ${statusOf(shown)}`;
      const found = failureAt(shown, { ...about, keyword: 'child', message });
      const isReadElsewhere = context.accepted.has(shown.operation) || isDone(story.of('child read elsewhere'));
      return [isReadElsewhere ? found : inconclusive(found)];
    }
    if (!isMissing(child) || !isDone(story.of('read again'))) return undefined;
    const message = `${create.operation.id} created an object that can be read, and a create beneath it is answered ${statusOf(child)}`;
    const found = failureAt(child, { ...about, keyword: 'parent', message });
    return [isAlike(story, context) && !refersElsewhere(child) ? found : inconclusive(found)];
  },
);

const about = { place: 'object beneath a new one', clause: 'RFC 9110 15.5.5' } as const;

/** Whether the create was accepted in another place that shows no other state: a draft may allow nothing beneath it. */
function isAlike(story: Story, { contract }: RunContext): boolean {
  const [read, elsewhere] = [story.of('read'), story.of('read elsewhere')];
  if (read === undefined || elsewhere === undefined || !isDone(story.of('child elsewhere'))) return false;
  const [own = {}, other] = [shownIn(read), shownIn(elsewhere)];
  if (other === undefined) return false;
  const sent = objectIn(story.of('create')?.seen.requestBody) ?? {};
  return [...propertiesRead(contract, read.operation)].every(([name, { value }]) => {
    // A switch that was sent may forbid what is beneath.
    if (Object.hasOwn(sent, name)) return typeof sent[name] !== 'boolean';
    const isState = typeof own[name] === 'boolean' || arrayAt(value, 'enum').length > 0;
    return isEmpty(own[name]) === isEmpty(other[name]) && (!isState || isUnchanged(own[name], other[name]));
  });
}

/** Whether the content names another object, which may be the one that was not found. */
function refersElsewhere({ seen }: NumberedExchange): boolean {
  return Object.keys(objectIn(seen.requestBody) ?? {}).some(isIdName);
}
