import type { Clock } from '../clock.ts';
import { Refused, refuse } from '../error-catalogue.ts';
import type { Principal } from '../principal.ts';

/** @throws Refused 402 from the instant the trial ends */
export function checkTrial(principal: Principal | undefined, clock: Clock): void {
  const end = principal?.trialEndsAt ?? null;
  if (end !== null && clock.now() >= end) throw new Refused(refuse('trial_ended'));
}

/** `Trial-Ends-At`, in UTC with milliseconds; none where no trial runs. */
export function formatTrialEnd(principal: Principal | undefined, clock: Clock): Readonly<Record<string, string>> {
  const end = principal?.trialEndsAt ?? null;
  return end === null || clock.now() >= end ? {} : { 'Trial-Ends-At': new Date(end).toISOString() };
}
