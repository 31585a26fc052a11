import type { Contract, Operation } from '../contract/contract.ts';
import type { Pointer, Seen } from '../contract/document.ts';
import { findPlace, isThere, valueAt } from './find-place.ts';
import { addRules, keyOf, type Lesson, type Lessons, noLesson } from './lesson.ts';
import { learnMentioned, learnOtherMember } from './mentioned.ts';
import { readComplaints } from './read-refusal.ts';

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
  const refused = { contract, operation, seen, says: complaints.map(({ says }) => says), lessons };
  if (complaints.every(({ rules }) => rules.length === 0) && learnOtherMember(refused)) return 'new';
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
    const before = lessons.get(key) ?? { ...noLesson, about };
    const after = addRules(before, complaint.rules, isThere(about, seen));
    if (JSON.stringify(after) === JSON.stringify(before)) continue;
    lessons.set(key, after);
    came = 'new';
  }
  if (came === 'nothing' && learnMentioned(refused)) return 'new';
  return came;
}
