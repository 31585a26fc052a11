import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { Language } from '../../activity/messages/catalogues.ts';
import type { EpochMilliseconds } from '../../clock.ts';
import type { Principal } from '../../principal.ts';

export type ActivityQuery = HandlerRequest<'getDeviceActivity', Principal>['query'];
export type ActivitySort = NonNullable<ActivityQuery['sort']>;

/** A filter as it was sent, and the instant that it meant then: a walk goes on by the same one, whatever zone the property is given. */
export interface ActivityBound {
  readonly text: string;
  readonly at: EpochMilliseconds;
}

/** What a page is a page of, every parameter settled. */
export interface ActivityList {
  readonly deviceId: string;
  readonly sort: ActivitySort;
  /** The first instant let in. */
  readonly startDate: ActivityBound | undefined;
  /** The first instant shut out. */
  readonly endDate: ActivityBound | undefined;
  readonly language: Language;
  readonly limit: number;
}

/** The last entry of a page. */
export interface LastActivity {
  readonly at: EpochMilliseconds;
  readonly id: string;
}
