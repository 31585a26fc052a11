import type { Creation, IdempotencyKey, Job, JobLimits, NewJob, Replay } from '../jobs/job-store.ts';

const retention = 7 * 24 * 60 * 60 * 1000;

interface Known {
  readonly job: NewJob;
  readonly rated: boolean;
  status: 'queued' | 'delivered' | 'succeeded' | 'failed';
  result: number;
  output: string;
  endedAt: number | null;
}

/** An obvious job store: lists in memory, filtered at each call. It never purges, so a purge of the real store must have no visible effect. */
export class JobModel {
  readonly #known: Known[] = [];
  #keys: { readonly key: IdempotencyKey; readonly jobId: string }[] = [];

  create(job: NewJob, limits: JobLimits, key: IdempotencyKey | null): Creation {
    const now = job.createdAt;
    const replay = key === null ? undefined : this.findReplay(key, now);
    if (replay?.kind === 'key_reused') return replay;
    if (replay !== undefined) return { kind: 'replayed', jobId: replay.jobId };
    const ofBridge = this.#known.filter((known) => known.job.bridgeId === job.bridgeId);
    const ends = ofBridge.filter((known) => isUnfinished(known, now)).map((known) => known.job.expiresAt);
    const queueFree = freeAt(ends, limits.unfinished);
    const { accepted, windowMs } = limits.rate ?? { accepted: Number.POSITIVE_INFINITY, windowMs: 0 };
    const leaving = ofBridge
      .filter((known) => known.rated && known.job.createdAt > now - windowMs && known.job.createdAt <= now + windowMs)
      .map((known) => known.job.createdAt + windowMs);
    const rateFree = freeAt(leaving, accepted);
    if (queueFree > now && queueFree >= rateFree) return { kind: 'queue_full', freeAt: queueFree };
    if (rateFree > now) return { kind: 'rate', freeAt: rateFree };
    this.#known.push({ job, rated: limits.rate !== null, status: 'queued', result: -1, output: '{}', endedAt: null });
    if (key !== null)
      this.#keys = [...this.#keys.filter(({ key: other }) => !isSame(key, other)), { key, jobId: job.jobId }];
    return { kind: 'created' };
  }

  findReplay(key: IdempotencyKey, now: number): Replay | undefined {
    const found = this.#keys.find(({ key: other }) => isSame(key, other) && other.keepUntil > now);
    if (found === undefined) return undefined;
    return found.key.requestHash === key.requestHash
      ? { kind: 'replayed', jobId: found.jobId }
      : { kind: 'key_reused' };
  }

  deliver(jobId: string, at: number): boolean {
    const known = this.#find(jobId);
    if (known?.status !== 'queued' || !isUnfinished(known, at)) return false;
    known.status = 'delivered';
    return true;
  }

  settle(jobId: string, at: number, result: number, output: string): boolean {
    const known = this.#find(jobId);
    if (known === undefined || !isUnfinished(known, at)) return false;
    Object.assign(known, { status: result === 0 ? 'succeeded' : 'failed', result, output, endedAt: at });
    return true;
  }

  find(jobId: string, now: number): Job | undefined {
    const known = this.#find(jobId);
    if (known === undefined || (known.endedAt ?? known.job.expiresAt) + retention <= now) return undefined;
    const { clientId: _, sealedData, ...job } = known.job;
    const hasExpired = known.endedAt === null && known.job.expiresAt <= now;
    return {
      ...job,
      status: hasExpired ? 'expired' : known.status,
      result: known.result,
      output: known.output,
      sealedData: isUnfinished(known, now) ? sealedData : null,
    };
  }

  /** In order of creation. */
  list(now: number): Job[] {
    return this.#known.map(({ job }) => this.find(job.jobId, now)).filter((job) => job !== undefined);
  }

  #find(jobId: string): Known | undefined {
    return this.#known.find(({ job }) => job.jobId === jobId);
  }
}

function isUnfinished({ endedAt, job }: Known, now: number): boolean {
  return endedAt === null && job.expiresAt > now;
}

function isSame(one: IdempotencyKey, other: IdempotencyKey): boolean {
  return one.clientId === other.clientId && one.keyHash === other.keyHash;
}

/** The time at which fewer than `limit` of them remain; zero if fewer remain already. */
function freeAt(ends: readonly number[], limit: number): number {
  return ends.toSorted((one, other) => other - one)[limit - 1] ?? 0;
}
