import { cpus } from 'node:os';

/** One question about speed, compared with its peers in one run on one machine: only the ratio is valid for another machine. */
export interface Question {
  readonly asks: string;
  /** Whether it needs what is installed in `bench/peers`. */
  readonly needsPeers?: boolean;
  /** @param options `large`: the counts that take minutes too, where the question has them */
  run(
    progress: (text: string) => void,
    options?: { readonly large?: boolean },
  ): Promise<Omit<Result, 'asks' | 'machine'>>;
}

export interface Result {
  readonly asks: string;
  /** The timed commands, each as often as the others, taking turns. */
  readonly rows: readonly { readonly name: string; readonly milliseconds: readonly number[] }[];
  /** The time of Lockstep over the sum of its peers, the median of the rounds; one for each state of its caches. */
  readonly ratios: readonly { readonly name: string; readonly ratio: number; readonly target?: number }[];
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
}

export function describeMachine(): string {
  const all = cpus();
  return `${all.length} x ${all[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
