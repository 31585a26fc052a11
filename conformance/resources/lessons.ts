import type { Contract, Operation } from '../contract/contract.ts';
import { type JsonObject, type Pointer, placeAt, type Seen } from '../contract/document.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import { bodySchemaOf, findPlace, isThere, keyOf, type LessonPlace, valueAt } from './find-place.ts';
import { type Complaint, type Rule, readComplaints } from './read-refusal.ts';

/** What refusals said of one place of a request, taken together. */
export interface Lesson {
  readonly about: LessonPlace;
  /** It must be there. */
  readonly required: boolean;
  /** It must not be there. */
  readonly forbidden: boolean;
  /** How often it had to be another than before: no other object may have it. */
  readonly unique: number;
  /** How often nothing was found under it: it names something that exists. */
  readonly reference: number;
  /** How often it was named without a word of use. */
  readonly wrong: number;
  /** Keywords of JSON Schema that hold besides those of the contract. */
  readonly keywords: JsonObject;
}

/** Lessons of one operation, or those of all by the schema that they are about. */
export type Lessons = Map<string, Lesson>;

/** What all operations learned about schemas that they share. */
export interface SharedLessons {
  /** Takes a refusal into account, in the order of the plan. */
  readonly observe: (operation: Operation, seen: Seen, body: unknown) => void;
  readonly about: (schema: Pointer) => Lesson | undefined;
  /** Where the server wants more than the contract says, as sentences. */
  readonly notes: () => readonly string[];
}

const mostNotes = 200;

export function createSharedLessons(contract: Contract): SharedLessons {
  const bySchema = new Map<Pointer, Lesson>();
  const notes = new Map<string, string>();
  return {
    about: (schema) => bySchema.get(schema),
    notes: () => [...notes.values()],
    observe: (operation, seen, body) => {
      const own: Lessons = new Map();
      learn(contract, operation, seen, body, own);
      for (const [place, lesson] of own) {
        const { about } = lesson;
        if (notes.size < mostNotes && Object.keys(lesson.keywords).length + Number(lesson.required) > 0) {
          notes.set(`${operation.id} ${place}`, `${operation.id}: ${place} ${describe(lesson)}`);
        }
        if (about.kind !== 'body' || about.schema === undefined) continue;
        const known = bySchema.get(about.schema);
        // That it must be another, or is missing here, says nothing of other operations.
        bySchema.set(about.schema, {
          ...lesson,
          keywords: { ...known?.keywords, ...lesson.keywords },
          required: lesson.required || known?.required === true,
        });
      }
    },
  };
}

function describe({ required, keywords }: Lesson): string {
  const also = Object.keys(keywords).length > 0 ? JSON.stringify(keywords) : '';
  return [required ? 'is wanted' : '', also].filter((part) => part !== '').join(', ');
}

/**
 * Adds what a refusal says to what is known.
 *
 * @returns what it did: `new` where the next request will be another one, `path` where it speaks of an id in the path
 */
export function learn(
  contract: Contract,
  operation: Operation,
  seen: Seen,
  refusal: unknown,
  lessons: Lessons,
): 'new' | 'path' | 'nothing' {
  let came: 'new' | 'path' | 'nothing' = 'nothing';
  const complaints = readComplaints(refusal);
  for (const complaint of complaints) {
    if (complaint.path.length === 0) continue;
    const about = findPlace(contract, operation, seen, complaint);
    if (about === undefined) continue;
    if (about.kind === 'parameter' && about.parameter.in === 'path') {
      if (came === 'nothing') came = 'path';
      continue;
    }
    // Some answers show what was sent.
    if (about.kind === 'body' && complaint.says === String(valueAt(seen.requestBody, about.tokens))) continue;
    const key = keyOf(about);
    const before = lessons.get(key) ?? { ...nothing, about };
    const after = addRules(before, complaint.rules, isThere(about, seen));
    if (JSON.stringify(after) === JSON.stringify(before)) continue;
    lessons.set(key, after);
    came = 'new';
  }
  if (came === 'nothing' && addMentioned(contract, operation, seen, complaints, lessons)) return 'new';
  return came;
}

const nothing = { required: false, forbidden: false, unique: 0, reference: 0, wrong: 0, keywords: {} } as const;

/** "Either result or error must be provided", "Set delete_all=true": names of what was left out are taken in. */
function addMentioned(
  contract: Contract,
  operation: Operation,
  seen: Seen,
  complaints: readonly Complaint[],
  lessons: Lessons,
): boolean {
  const schema = bodySchemaOf(operation);
  const body = schema === undefined ? undefined : flattenSchema(contract.root, placeAt(contract.root, schema), 0);
  const places: (readonly [string, LessonPlace])[] = [
    ...operation.parameters
      .filter((parameter) => !parameter.required)
      .map((parameter) => [parameter.name, { kind: 'parameter', parameter }] as const),
    ...[...(body?.properties ?? [])].map(
      ([name, place]) => [name, { kind: 'body', tokens: [name], schema: place.pointer }] as const,
    ),
  ];
  for (const { says } of complaints) {
    if (
      !/must|require|need|provide|specif|suppl|missing|set|expect|at least|either|empty|should|cannot|please|give/i.test(
        says,
      )
    )
      continue;
    const left = places.filter(([name, about]) => {
      if (name.length < 2 || isThere(about, seen) || lessons.has(keyOf(about))) return false;
      return new RegExp(`(^|[^\\w])${name.replaceAll(/[^\w]/g, '\\$&')}($|[^\\w])`).test(says);
    });
    const isChoice = /\b(or|one of|either)\b/i.test(says) && !/\bboth\b/i.test(says);
    for (const [name, about] of isChoice ? left.slice(0, 1) : left.slice(0, 4)) {
      const told = new RegExp(`${name.replaceAll(/[^\w]/g, '\\$&')}\\s*=\\s*([\\w.-]+)`).exec(says)?.[1];
      const keywords: JsonObject = told === undefined ? {} : { enum: [spellTold(told)] };
      lessons.set(keyOf(about), { ...nothing, about, required: true, keywords });
    }
    if (left.length > 0) return true;
  }
  return false;
}

function spellTold(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function addRules(lesson: Lesson, rules: readonly Rule[], isSent: boolean): Lesson {
  let after = lesson;
  for (const rule of rules) {
    if (rule.kind === 'keywords') after = { ...after, keywords: { ...after.keywords, ...rule.keywords } };
    else if (rule.kind === 'required') {
      // "Is required" of what was sent means that it was empty, or not what was wanted.
      after = isSent ? { ...after, wrong: after.wrong + 1 } : { ...after, required: true };
    } else if (rule.kind === 'forbidden') after = isSent ? { ...after, forbidden: true } : after;
    else if (rule.kind === 'unique') after = { ...after, unique: after.unique + 1 };
    else if (rule.kind === 'reference') after = { ...after, reference: after.reference + 1 };
  }
  if (rules.length === 0) after = isSent ? { ...after, wrong: after.wrong + 1 } : { ...after, required: true };
  // What keeps being refused for the same reason is no lesson any more.
  return after.wrong > 3 || after.unique > 4 || after.reference > 4 ? lesson : after;
}
