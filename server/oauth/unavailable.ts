import { errors } from 'oidc-provider';
import { StoreUnavailable } from '../store/store.ts';

/** The store is busy: 503 as an error of oidc-provider, at the login too, since a callback can't be asked to wait. */
export class Unavailable extends errors.OIDCProviderError {
  constructor(cause: unknown) {
    super(503, 'server_error', { cause, detail: 'the store is unavailable' });
    this.error_description = 'Busy, try again in 1 second';
    this.expose = true;
    this.allow_redirect = false;
  }
}

/** The store's answer, with its unavailability as an error of oidc-provider. Any other error stays a bug: 500. */
export async function whenAvailable<Answer>(answer: Promise<Answer> | Answer): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StoreUnavailable ? new Unavailable(error) : error;
  }
}
