// Faults of state: a write that is accepted and not carried out, and a read that shows an old object. The story of an object has read it before
// and after each write, so that an earlier answer replaces the later one. A failure counts if a second object shows it too: the story is
// repeated with the same change, as the run would repeat it.

import { putPartial } from '../checks/changed.ts';
import { deleteKept } from '../checks/deleted.ts';
import { createdMissing, storedDiffers } from '../checks/stored.ts';
import { isMissing, roleIn } from '../checks/story.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { type Answer, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { mayCallOften, mayProbe } from '../phases/probe.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { operationAt, plainPath } from '../resources/slots.ts';
import { answeredBy, answerWith, excludeLateRejection, type Family, replaceIn } from './family.ts';

/** The steps of the story of one object. */
interface Story {
  readonly steps: Trace;
  readonly of: (role: string) => NumberedExchange | undefined;
}

/** Earlier answers in place of later ones. */
type Change = readonly (readonly [step: NumberedExchange | undefined, answer: Answer | undefined])[];

function intoStory(
  what: string,
  check: Family['check'],
  change: (story: Story, operation: Operation) => Change,
): Pick<Family, 'check' | 'inject'> {
  return {
    check,
    inject: ({ trace, operation, contract }) => {
      const name = typeof check === 'string' ? check : check(operation, contract);
      const isStep = ({ intent: { probe }, isPause, isAlone }: NumberedExchange): boolean =>
        probe?.checks.includes(name) === true && probe.role === firstRole(probe.role) && !isPause && isAlone !== true;
      const steps = trace.filter(isStep);
      const of = (role: string) => steps.findLast(({ intent }) => intent.probe?.role === role);
      if (!steps.some((one) => one.operation === operation)) return undefined;
      const changes = change({ steps, of }, operation);
      const [first] = changes;
      if (first?.[0] === undefined || first[1] === undefined) return undefined;
      const pairs = changes.flatMap(([step, answer]) =>
        step === undefined || answer === undefined ? [] : [[step, answer] as const],
      );
      const changed = replaceIn(trace, new Map(pairs.map(([step, answer]) => [step, answeredBy(step, answer)])));
      const unchanged = replaceIn(trace, new Map(pairs.map(([step]) => [step, answerWith(step, {})])));
      return { what, changed: [...changed, ...changed.filter(isStep).map(asSecond)], unchanged };
    },
  };
}

/** The role without that of a second object. */
function firstRole(role: string): string {
  const suffix = roleIn(1, '');
  return role.endsWith(suffix) ? role.slice(0, -suffix.length) : role;
}

function asSecond(step: NumberedExchange): NumberedExchange {
  const { probe } = step.intent;
  return probe === undefined
    ? step
    : { ...step, intent: { ...step.intent, probe: { ...probe, role: roleIn(1, probe.role) } } };
}

function answerOf(step: NumberedExchange | undefined): Answer | undefined {
  return step?.outcome.kind === 'answer' && isAccepted(step) ? step.outcome : undefined;
}

/** The last read of the object before a step. */
function readBefore({ steps }: Story, step: NumberedExchange | undefined): Answer | undefined {
  const earlier = step === undefined ? [] : steps.slice(0, steps.indexOf(step));
  return answerOf(earlier.findLast(({ intent }) => /^read\b/.test(intent.probe?.role ?? '')));
}

/** The object as before, in the read after a change by a method. */
function keepObject(story: Story, method: string): Change {
  const write = story.of(`change by ${method}`);
  return [[story.of(`read after ${method}`), answerOf(write) && readBefore(story, write)]];
}

/** The answer to a read of an object that is not there: one of the story, if it has one. */
function absence({ steps }: Story): Answer {
  const missing = steps.find(isMissing)?.outcome;
  return missing?.kind === 'answer'
    ? missing
    : { kind: 'answer', status: 404, headers: [], body: Buffer.alloc(0), durationMs: 0 };
}

/** The operations on the objects of an operation's path. */
function objectsOf(contract: Contract, { path, method }: Operation) {
  const item = method === 'post' ? `${plainPath(path)}/{}` : plainPath(path);
  const at = (method: Operation['method'], where = item) => operationAt(contract, method, where);
  return { create: at('post', item.replace(/\/[^/]*$/, '')), read: at('get'), put: at('put'), patch: at('patch') };
}

/** Why the run cannot see the life of an operation's objects. */
function excludeLife(operation: Operation, contract: Contract, permissions: Permissions): string | undefined {
  const { create, read } = objectsOf(contract, operation);
  if (create === undefined || kindOf(contract, create) !== 'create') return 'no operation creates its object';
  if (read === undefined) return 'no operation reads its object';
  const isOften = mayProbe(contract, create) && mayCallOften(contract, create, permissions);
  return isOften ? excludeLateRejection(operation) : 'its object is created by an operation with an effect';
}

/** The method of the change that shows whether a read is old. */
function methodFor(operation: Operation, contract: Contract): 'put' | 'patch' | undefined {
  const { put, patch } = objectsOf(contract, operation);
  return put === undefined ? patch && 'patch' : 'put';
}

const checkOfChange = { put: putPartial.name, patch: storedDiffers.name } as const;

export const stateFamilies: readonly Family[] = [
  {
    name: 'lost create',
    about: 'a create is accepted, and the object is not there',
    excludes: (operation, contract, permissions) =>
      kindOf(contract, operation) === 'create' && operation.method === 'post'
        ? excludeLife(operation, contract, permissions)
        : 'it creates no object',
    ...intoStory('404 to the read after the create', createdMissing.name, (story) => [
      [story.of('read'), answerOf(story.of('create')) && absence(story)],
    ]),
  },
  {
    name: 'lost change',
    about: 'a change is accepted, and the object is as before',
    excludes: (operation, contract, permissions) =>
      operation.method === 'put' || operation.method === 'patch'
        ? excludeLife(operation, contract, permissions)
        : 'it changes no object',
    ...intoStory(
      'the object as before the change',
      ({ method }) => (method === 'patch' ? checkOfChange.patch : checkOfChange.put),
      (story, { method }) => keepObject(story, method),
    ),
  },
  {
    name: 'lost delete',
    about: 'a deletion is accepted, and the object is still there',
    excludes: (operation, contract, permissions) =>
      operation.method === 'delete' ? excludeLife(operation, contract, permissions) : 'it deletes no object',
    ...intoStory('the object after its deletion', deleteKept.name, (story) => [
      [story.of('deleted read'), answerOf(story.of('delete')) && readBefore(story, story.of('delete'))],
      [story.of('list after delete'), answerOf(story.of('list'))],
    ]),
  },
  {
    name: 'old read',
    about: 'a read shows the object before its last change',
    excludes: (operation, contract, permissions) => {
      if (operation.method !== 'get' || !plainPath(operation.path).endsWith('/{}')) return 'it reads no single object';
      if (methodFor(operation, contract) === undefined) return 'no operation changes its object';
      return excludeLife(operation, contract, permissions);
    },
    ...intoStory(
      'the object before the change',
      (operation, contract) => checkOfChange[methodFor(operation, contract) ?? 'put'],
      (story) =>
        [...keepObject(story, 'put'), ...keepObject(story, 'patch')].filter(([step]) => step !== undefined).slice(0, 1),
    ),
  },
];
