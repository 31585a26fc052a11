import type { World } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import type { Draft } from '../execute/write-request.ts';
import { type Deed, mayRepeat, perilOf } from '../plan/permissions.ts';
import type { Target } from '../resources/find-targets.ts';
import type { Lessons } from '../resources/lesson.ts';
import type { IdShape } from '../resources/refused-address.ts';
import { plainWay, type Way } from './draft-valid.ts';

/** Most requests of one operation in one turn, and in all. */
export const most = {
  turn: 6,
  all: 12,
  late: 3,
  draws: 3,
  lessons: 8,
  failures: 3,
  forbidden: 2,
  forbiddenData: 4,
  targets: 7,
  busy: 2,
  words: 5,
  fresh: 2,
  rung: 8,
  emptyLists: 2,
} as const;

/** How far one operation has come. It changes in its own turns alone. */
export interface Progress {
  readonly sent: Set<string>;
  readonly reasons: Set<string>;
  readonly lessons: Lessons;
  /** Targets that were refused as such, and those for which all data was refused until news come. */
  readonly gone: Set<string>;
  readonly tried: Set<string>;
  /** Values of the path, from the first on, that the server refused as such: whatever lies beneath them is no target. */
  readonly barred: Set<string>;
  /** What a parameter of the path has to look like, as refusals said. */
  readonly shapes: Map<string, IdShape>;
  turns: number;
  requests: number;
  /** Most requests in all. */
  most: number;
  state: 'open' | 'accepted' | 'over';
  /** Nothing is left to try, as far as the world knew then. */
  isSpent: boolean;
  revision: number;
  way: Way;
  learned: number;
  failures: number;
  /** Targets under which nothing was found. */
  missed: number;
  /** How much was created when it answered an empty list last. */
  emptyAt: number | undefined;
  /** Its empty list was asked for once more when all else had been sent. */
  isAskedLate: boolean;
  /** How much had been created when it was given up. */
  spentAt: number;
  isTriedLate: boolean;
  /** Bodies that were drawn by lot for it. */
  draws: number;
  isDrawing: boolean;
  lastDraft: Draft | undefined;
  /** What the accepted request was about. */
  acceptedTarget: Target | undefined;
  /** How often it was refused in the same words. */
  readonly words: Map<string, number>;
  /** How often it was refused with 403 for its data. */
  forbidden: number;
  /** How often the deployment was too busy for it. */
  busy: number;
  /** It is sent when nothing else is under way. */
  isAlone: boolean;
  isCompleteSent: boolean;
}

export function createProgress(operation: Operation, deed: Deed): Progress {
  return {
    sent: new Set(),
    reasons: new Set(),
    lessons: new Map(),
    gone: new Set(),
    tried: new Set(),
    barred: new Set(),
    shapes: new Map(),
    turns: 0,
    requests: 0,
    most: most.all,
    state: 'open',
    isSpent: false,
    revision: -1,
    way: { ...plainWay, hasBody: operation.body?.required === true || !/^(get|head|delete)$/.test(operation.method) },
    learned: 0,
    failures: 0,
    missed: 0,
    emptyAt: undefined,
    isAskedLate: false,
    spentAt: 0,
    isTriedLate: false,
    draws: 0,
    isDrawing: false,
    lastDraft: undefined,
    acceptedTarget: undefined,
    words: new Map(),
    busy: 0,
    isAlone: false,
    forbidden: 0,
    isCompleteSent: !hasOptional(operation) || deed !== 'read' || operation.method === 'post',
  };
}

/** Whether what was refused is worth a last try: something was created since. */
export function mayTryLate(
  { resources }: World,
  { isTriedLate, spentAt, requests, busy, failures }: Progress,
  operation: Operation,
  deed: Deed,
): boolean {
  if (isTriedLate || busy > 0 || deed === 'remove' || requests >= most.all + most.late || perilOf(operation, deed) > 0)
    return false;
  // What broke the server may have been done: the same is not sent again.
  if (failures > 0 && !mayRepeat(operation, operation.method)) return false;
  return resources.createdAt('') > spentAt;
}

/** Makes everything that was refused worth a request again. */
export function tryLate(progress: Progress): void {
  progress.isTriedLate = true;
  progress.sent.clear();
  progress.tried.clear();
  // A 404 may have been about what was asked for besides.
  if (progress.lessons.size > 0) progress.gone.clear();
  progress.words.clear();
  progress.missed = 0;
  progress.most = progress.requests + most.late;
  progress.way = { ...progress.way, rung: 0 };
}

/** Whether what was refused in every form of the ladder is worth bodies that are drawn by lot. */
export function mayDraw({ draws, state, way, forbidden }: Progress, operation: Operation, deed: Deed): boolean {
  const hasBody = operation.body !== undefined && way.hasBody;
  return (
    state === 'open' && hasBody && draws === 0 && forbidden === 0 && deed !== 'remove' && perilOf(operation, deed) === 0
  );
}

function hasOptional({ parameters }: Operation): boolean {
  return parameters.some(({ in: where, required }) => where === 'query' && !required);
}
