import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { Validate } from './compile-schema.ts';

/** What every check of a request's form is made with. */
export interface FormTools {
  readonly document: ContractDocument;
  /** @throws Error for a schema that does not compile */
  readonly compile: (schema: unknown) => Validate;
}
