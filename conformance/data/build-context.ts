import type { JsonObject } from '../contract/json.ts';
import type { Instant } from './time.ts';

/** What a value may depend on besides its schema. */
export interface BuildContext {
  readonly root: JsonObject;
  readonly now: Instant;
  readonly seed: number;
  /** Marks what this run made. */
  readonly tag: string;
  /** Which branch, enum member and so on: 0 for the first choice. */
  readonly variant: number;
  /** Whether properties that may be left out are built. */
  readonly optional: boolean;
  /** Whether the contract's own examples and defaults come first. */
  readonly examples: boolean;
  /** Parts of this value that are built already: counted up, so that a schema which contains itself often stays small. */
  readonly built: { parts: number };
}
