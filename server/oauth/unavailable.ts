import { errors } from 'oidc-provider';
import { StoreUnavailable } from '../store/store.ts';

/** The store is busy: 503 in the form that oidc-provider answers, at the login too, since no callback can be told to wait. */
export class Unavailable extends errors.OIDCProviderError {
  constructor(cause: unknown) {
    super(503, 'server_error', { cause, detail: 'the store is unavailable' });
    this.error_description = 'Busy, try again in 1 second';
    this.expose = true;
    this.allow_redirect = false;
  }
}

/** The store's answer, with its refusal in the form that oidc-provider answers. Everything else stays a bug: 500. */
export async function whenAvailable<Answer>(answer: Promise<Answer> | Answer): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreUnavailable ? new Unavailable(error) : error;
  }
}
