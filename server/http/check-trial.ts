import { Rejection } from '@lockstep/runtime/rejection';
import type { Clock } from '../clock.ts';
import { errorCatalogue } from '../error-catalogue.ts';
import type { Principal } from '../principal.ts';

/** Creates the check that throws a Rejection, 402, from the end of the trial on. */
export function createTrialCheck(clock: Clock) {
  return ({ principal }: { readonly principal?: Principal | undefined }): void => {
    const end = principal?.trialEndsAt ?? null;
    if (end !== null && clock.now() >= end)
      throw new Rejection('payment_required', { text: errorCatalogue.trial_ended.text });
  };
}

/** `Trial-Ends-At`, in UTC with milliseconds; no header without a running trial. */
export function formatTrialEnd(principal: Principal | undefined, clock: Clock): Readonly<Record<string, string>> {
  const end = principal?.trialEndsAt ?? null;
  return end === null || clock.now() >= end ? {} : { 'Trial-Ends-At': new Date(end).toISOString() };
}
