// One check of credentials for each security scheme of the contract. Until you write it, a check rejects every caller.
import { apiKey, basic, bearer, type Scheme, type Verdict } from '@lockstep/runtime/security/scheme';

/** The caller: the result of a check, which handlers get as `principal`. */
export interface Principal {
  readonly name: string;
}

/** To accept a caller, return `{ kind: 'good', principal: { name: 'ann' } }`, with `scopes` if the contract requires some. */
const refuse = (): Verdict<Principal> => ({ kind: 'bad', reason: 'invalid' });

export const security = {
  // http, bearer: called with the token
  token: bearer(refuse),
  // http, basic: called with { username, password }
  reader: basic(refuse),
  // apiKey in the header X-Card: called with the key
  card: apiKey(refuse),
} satisfies Readonly<Record<string, Scheme<Principal>>>;
