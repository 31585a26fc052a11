import { bodySchema } from './body-schema.ts';
import type { Check } from './check.ts';
import { contractItself } from './contract-itself.ts';
import { headerSchema } from './header-schema.ts';
import { httpLaw } from './http-law.ts';
import { internalsLeaked } from './internals-leaked.ts';
import { mediaType } from './media-type.ts';
import { noAnswer, slow } from './no-answer.ts';
import { sensitiveLeak, writeOnlyExposed } from './secrets.ts';
import { serverError } from './server-error.ts';
import { statusUndocumented } from './status-undocumented.ts';

/** Every check, in the order in which its findings are told: what breaks a client most comes first. */
export const checks: readonly Check[] = [
  noAnswer,
  serverError,
  statusUndocumented,
  mediaType,
  bodySchema,
  headerSchema,
  writeOnlyExposed,
  sensitiveLeak,
  httpLaw,
  internalsLeaked,
  slow,
  contractItself,
];
