// Who may call: one check for each security scheme of the contract. Until it is written, a check lets nobody in.
import { apiKey, basic, bearer, type Scheme, type Verdict } from '@lockstep/runtime/security/scheme';

/** Whom a request acts for: what a check finds, and what handlers are given as `principal`. */
export interface Principal {
  readonly name: string;
}

/** Good would be `{ kind: 'good', principal: { name: 'ann' } }`, with `scopes` where the contract asks for some. */
const refuse = (): Verdict<Principal> => ({ kind: 'bad', reason: 'invalid' });

export const security = {
  // http, bearer: called with the token
  token: bearer(refuse),
  // http, basic: called with { username, password }
  reader: basic(refuse),
  // apiKey in the header X-Card: called with the key
  card: apiKey(refuse),
} satisfies Readonly<Record<string, Scheme<Principal>>>;
