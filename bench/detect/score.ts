// How a fault counts as triggered and as detected. All functions are pure: they read records of finished runs.

export const faultClasses = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
export type FaultClass = (typeof faultClasses)[number];

/** Of a fault, the part that its author states and that scoring reads. */
export interface SeededFault {
  readonly id: string;
  readonly class: FaultClass;
  /** Method and path of the contract, `*` for all. */
  readonly operation: string;
  /** The other operations that show a fault of lists or state: those that read, change or list the same objects. */
  readonly also?: readonly string[];
}

/** One thing that a tool reports, at one operation and place. */
export interface Detection {
  readonly check: string;
  readonly severity: 'defect' | 'suspect';
  /** As `GET /books`; `''` if the tool names none. */
  readonly operation: string;
  readonly place: string;
  /** Number of the request that showed it first, from 1. */
  readonly atRequest: number;
  /** Milliseconds after the start of the tool's process. */
  readonly atMs: number;
}

/** The first answer that a fault changed, counted as in `Detection`. */
export type Moment = Pick<Detection, 'atRequest' | 'atMs'>;

/** A finished run of a tool on a server. */
export interface RunRecord {
  readonly server: string;
  /** The tool with its profile and budget. */
  readonly setting: string;
  /** Undefined for the server without a fault. */
  readonly fault?: string;
  readonly seed: number;
  readonly exitCode: number | null;
  readonly requests: number;
  readonly seconds: number;
  readonly triggered?: Moment;
  readonly detections: readonly Detection[];
}

/** A line of the log of a server with faults. */
export interface LogLine {
  readonly n: number;
  /** Since the server listens, which is when the tool starts. */
  readonly ms: number;
  readonly triggered: boolean;
}

export function firstTrigger(log: readonly LogLine[]): Moment | undefined {
  const first = log.find(({ triggered }) => triggered);
  return first === undefined ? undefined : { atRequest: first.n, atMs: Math.round(first.ms) };
}

export const placeKey = ({ check, operation, place }: Pick<Detection, 'check' | 'operation' | 'place'>): string =>
  `${check} ${operation} ${place}`;

/** All reports on the server without a fault, with any of the seeds: none of them counts as a detection. */
export function falsePositives(runs: readonly RunRecord[]): ReadonlyMap<string, Detection> {
  const clean = runs.filter(({ fault }) => fault === undefined).flatMap(({ detections }) => detections);
  return new Map(clean.map((detection) => [placeKey(detection), detection]));
}

/**
 * A fault of an undeclared method, such as OPTIONS, shows at any operation of its path. So does a report about an undeclared method.
 *
 * @param declared the operations of the contract
 */
export function concerns(
  { operation, also = [] }: SeededFault,
  reported: string,
  declared: ReadonlySet<string>,
): boolean {
  const pathOf = (name: string): string => name.slice(name.indexOf(' ') + 1);
  return [operation, ...also].some(
    (own) =>
      own === '*' ||
      own === reported ||
      (pathOf(own) === pathOf(reported) && !(declared.has(own) && declared.has(reported))),
  );
}

/** The first report of a fault, which no run without a fault has. */
export function firstDetection(
  fault: SeededFault,
  run: Pick<RunRecord, 'detections'>,
  severity: Detection['severity'],
  clean: Pick<ReadonlyMap<string, unknown>, 'has'>,
  declared: ReadonlySet<string>,
): Detection | undefined {
  return run.detections
    .filter((it) => it.severity === severity && !clean.has(placeKey(it)) && concerns(fault, it.operation, declared))
    .toSorted((a, b) => a.atRequest - b.atRequest)[0];
}

/** A run on a server with a fault. */
export interface Outcome {
  readonly fault: SeededFault;
  readonly seconds: number;
  readonly triggered?: Moment;
  readonly detected?: Moment;
  /** Reported as uncertain only. */
  readonly inconclusive?: Moment;
}

/** A report of a fault that changed no answer cannot be about that fault. */
export function judge(
  fault: SeededFault,
  run: RunRecord,
  clean: Pick<ReadonlyMap<string, unknown>, 'has'>,
  declared: ReadonlySet<string>,
): Outcome {
  const { seconds, triggered } = run;
  if (triggered === undefined) return { fault, seconds };
  const detected = firstDetection(fault, run, 'defect', clean, declared);
  const inconclusive = detected === undefined ? firstDetection(fault, run, 'suspect', clean, declared) : undefined;
  return {
    ...{ fault, seconds, triggered },
    ...(detected !== undefined && { detected: momentOf(detected) }),
    ...(inconclusive !== undefined && { inconclusive: momentOf(inconclusive) }),
  };
}

const momentOf = ({ atRequest, atMs }: Moment): Moment => ({ atRequest, atMs });

/** The part of each run that a column of the table counts. */
export interface Bound {
  readonly name: string;
  readonly includes: (moment: Moment) => boolean;
}

export const requestBounds: readonly (Bound & { readonly requests: number })[] = [100, 300, 1000].map((requests) => ({
  requests,
  name: `${requests} requests`,
  includes: ({ atRequest }) => atRequest <= requests,
}));

export const fiveSeconds: Bound = { name: '5 s', includes: ({ atMs }) => atMs <= 5000 };

/** Means over the seeds. */
export interface Count {
  readonly detected: number;
  readonly inconclusive: number;
  readonly triggered: number;
  readonly all: number;
}

/** @param seeds how many runs each fault has */
export function countWithin(outcomes: readonly Outcome[], { includes }: Bound, seeds: number): Count {
  const mean = (moment: 'detected' | 'inconclusive' | 'triggered'): number =>
    outcomes.filter(({ [moment]: at }) => at !== undefined && includes(at)).length / seeds;
  return {
    ...{ detected: mean('detected'), inconclusive: mean('inconclusive'), triggered: mean('triggered') },
    all: outcomes.length / seeds,
  };
}

/** A run counts until its first detection, and without one in full: so long a user waits who stops at the first report. */
export function detectionsPerSecond(outcomes: readonly Outcome[]): number {
  const found = outcomes.filter(({ detected }) => detected !== undefined).length;
  const seconds = outcomes.map((it) => (it.detected === undefined ? it.seconds : it.detected.atMs / 1000));
  return found / Math.max(sum(seconds), Number.EPSILON);
}

export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Faults that no run detected, by whether an answer ever showed them. */
export function listMissed(outcomes: readonly Outcome[]): {
  readonly triggered: readonly string[];
  readonly untriggered: readonly string[];
} {
  const byFault = Map.groupBy(outcomes, ({ fault }) => fault.id);
  const missed = [...byFault].filter(([, runs]) => runs.every(({ detected }) => detected === undefined));
  const [triggered, untriggered] = [true, false].map((isTriggered) =>
    missed.filter(([, runs]) => runs.some((run) => run.triggered !== undefined) === isTriggered).map(([id]) => id),
  );
  return { triggered: triggered ?? [], untriggered: untriggered ?? [] };
}
