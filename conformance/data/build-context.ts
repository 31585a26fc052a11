import type { CanonicalForm } from '../schema/canonical.ts';
import type { Instant } from './time.ts';

/** What a value may depend on besides its schema. */
export interface BuildContext {
  readonly form: CanonicalForm;
  readonly now: Instant;
  readonly seed: number;
  /** Marks what this run made. */
  readonly tag: string;
  /** Which branch, enum member and so on: 0 for the first choice. */
  readonly variant: number;
  /** Counted up among values that have to differ. */
  readonly serial: number;
  /** Whether properties that may be left out are built. */
  readonly optional: boolean;
  /** Whether the contract's own examples and defaults come first. */
  readonly examples: boolean;
  /** What this value has cost so far: counted up, so that a schema which contains itself often stays small. */
  readonly spent: { parts: number; bytes: number };
}
