// Changes of an object: a PUT replaces it, a PATCH changes only what it names, and a repeated PUT changes nothing more.
import type { Operation } from '../contract/contract.ts';
import { isJson } from '../contract/contract.ts';
import type { JsonObject } from '../contract/document.ts';
import { plainPath } from '../resources/slots.ts';
import type { RunContext } from './check.ts';
import {
  agrees,
  isEmpty,
  isShownOtherwise,
  isUnchanged,
  objectIn,
  shownIn,
  writableIn,
  writesOf,
} from './compare-objects.ts';
import { statusOf } from './parts.ts';
import { addedBy, failureOf, hasDefault, isChosen, spelled } from './stored.ts';
import {
  type Change,
  changesIn,
  type Deviation,
  failureAt,
  inconclusive,
  isDone,
  membersOf,
  readAfter,
  readBefore,
  type Story,
  storyCheck,
} from './story.ts';

/** Changes of one method, with the objects sent and shown. */
function objectsOf(story: Story, context: RunContext, method: 'put' | 'patch') {
  // The methods promise it for every member of the object.
  const members = membersOf(story, context, true);
  const names = members.map(({ name }) => name);
  const created = objectIn(story.of('create')?.seen.requestBody, names) ?? {};
  const changes = changesIn(story).flatMap((change) => {
    const { write, before, after } = change;
    const [sent, old, read] = [objectIn(write.seen.requestBody, names), shownIn(before, names), shownIn(after, names)];
    if (write.operation.method !== method || sent === undefined || old === undefined || read === undefined) return [];
    const earlier = story.steps
      .slice(0, story.steps.indexOf(write))
      .filter(({ operation }) => operation.method !== 'get');
    const given = Object.assign({}, ...earlier.filter(isDone).map(({ seen }) => objectIn(seen.requestBody, names)));
    return [{ ...change, names, created, given: given as JsonObject, sent, old, read }];
  });
  return members.length === 0 || changes.length === 0 ? undefined : { story, members, changes };
}

/** Judges each member of each change. A failure at a member that the server may choose is inconclusive. */
function judgeMembers(
  context: RunContext,
  objects: ReturnType<typeof objectsOf>,
  judge: (
    change: NonNullable<typeof objects>['changes'][number],
    name: string,
  ) => Parameters<typeof failureOf>[3] | undefined,
): readonly Deviation[] | undefined {
  return objects?.changes.flatMap((change) =>
    objects.members.flatMap((member): Deviation[] => {
      const about = judge(change, member.name);
      if (about === undefined) return [];
      const found = { exchange: change.write, failure: failureOf(context, change.write, member, about) };
      return [isChosen(objects.story, context, member) ? inconclusive(found) : found];
    }),
  );
}

export const putPartial = storyCheck(
  {
    name: 'put-partial',
    about: 'a PUT is accepted, and a property that it sent keeps its old value',
    effect: 'Clients believe that they have changed an object, and others read the old value.',
    clauses: ['RFC 9110 9.3.4'],
    example: {
      sent: 'PUT /books/7 {"title":"Emma","pages":500}',
      answered: '200; GET /books/7 has "pages":474 as before',
    },
    fix: 'Store every property of the request, or reject the request.',
    allow: 'Remove the property from the schema of the PUT, or declare it readOnly.',
  },
  (story, context) =>
    judgeMembers(context, objectsOf(story, context, 'put'), ({ created, sent, old, read, names, after }, name) => {
      if (isEmpty(sent[name]) || agrees(sent[name], read[name]) || !isUnchanged(old[name], read[name]))
        return undefined;
      if (isShownOtherwise(context, after, names, name, sent[name])) return undefined;
      // The server may store another form of the value, the same for the create and the PUT.
      if (isUnchanged(sent[name], created[name])) return undefined;
      const message = `${name} was sent as ${spelled(sent[name])} and accepted, and a read shows ${spelled(read[name])} as before`;
      return { keyword: 'kept', clause: 'RFC 9110 9.3.4', message };
    }),
);

/** Whether a PUT replaces the whole object, by its schema: it has every property of the other writes, and requires as much. */
function isReplacement(context: RunContext, put: Operation): boolean {
  const own = writableIn(context, put);
  const required = requiredIn(context, put);
  return writesOf(context.contract, plainPath(put.path))
    .filter(({ method }) => method === 'post')
    .every(
      (create) =>
        [...writableIn(context, create).keys()].every((name) => own.has(name)) &&
        requiredIn(context, create).every((name) => required.includes(name)),
    );
}

function requiredIn({ judge }: RunContext, { body }: Operation): readonly string[] {
  const schema = body?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
  const form = judge.forms.request;
  return schema === undefined ? [] : [...form.common(form.at(schema)).required];
}

export const putMerge = storyCheck(
  {
    name: 'put-merge',
    about: 'a PUT leaves out an optional property, and the object keeps its old value',
    effect:
      'A property cannot be removed: PUT changes the object like PATCH, although its schema is that of the whole object.',
    clauses: ['RFC 9110 9.3.4'],
    example: {
      sent: 'PUT /books/7 {"title":"Emma"}',
      answered: '200; GET /books/7 has "isbn":"978-0141439587" as before',
    },
    fix: 'Replace the object by the content of the request.',
    allow:
      'Require the property in the schema of the PUT. The finding is inconclusive: only `--fail-on suspect` counts it.',
  },
  (story, context) => {
    const objects = objectsOf(story, context, 'put');
    const replacing = objects?.changes.filter(({ write }) => isReplacement(context, write.operation)) ?? [];
    if (objects === undefined || replacing.length === 0) return undefined;
    const members = objects.members.filter(({ pointer }) => !hasDefault(context.contract, pointer));
    const found = judgeMembers(context, { story, members, changes: replacing }, ({ write, sent, old, read }, name) => {
      const isLeftOut = !Object.hasOwn(sent, name) && writableIn(context, write.operation).has(name);
      if (!isLeftOut || isEmpty(old[name]) || !isUnchanged(old[name], read[name])) return undefined;
      const message = `${name} was left out, and a read shows ${spelled(read[name])} as before: PUT replaces the object`;
      return { keyword: 'left out', clause: 'RFC 9110 9.3.4', message };
    });
    // Many servers fill in what a PUT leaves out, by a rule of their own.
    return found?.map(inconclusive);
  },
);

export const patchSpills = storyCheck(
  {
    name: 'patch-spills',
    about: 'a PATCH changes a property that it does not name, or keeps one that it removes by null',
    effect: 'A small change of one client destroys data of another.',
    clauses: ['RFC 5789', 'RFC 7396'],
    example: { sent: 'PATCH /books/7 {"pages":500}', answered: '200; GET /books/7 has no "isbn" any more' },
    fix: 'Change only the properties of the request. In a merge patch, null removes a property.',
    allow: 'Declare the property readOnly if the server derives it, or offer PUT for the whole object.',
  },
  (story, context) =>
    judgeMembers(context, objectsOf(story, context, 'patch'), (change, name) => {
      const { sent, given, old, read } = change;
      if (isMergePatch(change) && sent[name] === null && !isEmpty(old[name]) && isUnchanged(old[name], read[name])) {
        const message = `null was sent for ${name}, and a read shows ${spelled(read[name])} as before`;
        return { keyword: 'null', clause: 'RFC 7396 2', message };
      }
      if (Object.hasOwn(sent, name) || isUnchanged(old[name], read[name])) return undefined;
      // The server may choose any value that is none of the client.
      if (isEmpty(given[name]) || !agrees(given[name], old[name])) return undefined;
      const message = `${name} was not sent, and a read shows ${spelled(read[name])} in place of ${spelled(old[name])}`;
      return { keyword: 'unsent', clause: 'RFC 5789 2', message };
    }),
);

function isMergePatch({ write }: Change): boolean {
  return write.draft?.body?.content.mediaType.startsWith('application/merge-patch+json') === true;
}

export const putRepeat = storyCheck(
  {
    name: 'put-repeat',
    about: 'the same PUT, sent twice, changes the object again or creates another',
    effect: 'A client cannot repeat a request whose answer was lost.',
    clauses: ['RFC 9110 9.2.2'],
    example: {
      sent: 'PUT /books/7 {"title":"Emma","pages":500} twice',
      answered: '200; GET /books has a second book "Emma"',
    },
    fix: 'Make PUT idempotent: it stores the content at the address of the request.',
    allow: 'Use POST for a request whose repetition has a further effect.',
  },
  (story, context) => {
    const members = membersOf(story, context);
    const names = members.map(({ name }) => name);
    const repeat = story.of('repeat put');
    if (!isDone(repeat)) return undefined;
    const [before, after] = [readBefore(story, repeat), readAfter(story, repeat)];
    const [old, read] = [shownIn(before, names), shownIn(after, names)];
    if (old === undefined || read === undefined) return undefined;
    const sent = objectIn(repeat.seen.requestBody, names) ?? {};
    const changed = members
      // A member of the server's own, such as the number of changes, may differ after each.
      .filter(({ name }) => !isEmpty(sent[name]) && agrees(sent[name], old[name]))
      .filter(({ name }) => !isUnchanged(old[name], read[name]))
      .map((member): Deviation => {
        const { name } = member;
        const message = `the same PUT was sent again, and a read shows ${name} as ${spelled(read[name])} in place of ${spelled(old[name])}`;
        const keyword = 'repeated';
        return {
          exchange: repeat,
          failure: failureOf(context, repeat, member, { keyword, clause: 'RFC 9110 9.2.2', message }),
        };
      });
    const added = addedBy(story, context, repeat) ?? 0;
    if (added === 0 || changed.length > 0) return changed;
    const message = `the same PUT was sent again and answered ${statusOf(repeat)}, and the list has ${added} more with its content`;
    return [failureAt(repeat, { place: 'list', keyword: 'created', clause: 'RFC 9110 9.2.2', message })];
  },
);
