import type { Clock } from '../clock.ts';
import { Refused, refuse } from '../error-catalogue.ts';
import type { Principal } from '../principal.ts';

/** @throws Refused 402 from the instant the trial ends */
export function checkTrial({ trialEndsAt }: Principal, clock: Clock): void {
  if (trialEndsAt !== null && clock.now() >= trialEndsAt) throw new Refused(refuse('trial_ended'));
}

/** `Trial-Ends-At`, in UTC with milliseconds; undefined where no trial runs. */
export function formatTrialEnd(principal: Principal | undefined, clock: Clock): string | undefined {
  const end = principal?.trialEndsAt ?? null;
  return end === null || clock.now() >= end ? undefined : new Date(end).toISOString();
}
