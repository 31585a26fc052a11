import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { Language } from '../../activity/messages/catalogues.ts';
import type { EpochMilliseconds } from '../../clock.ts';
import type { Principal } from '../../principal.ts';

export type ActivityQuery = HandlerRequest<'getDeviceActivity', Principal>['query'];
export type ActivitySort = NonNullable<ActivityQuery['sort']>;

/** A filter as it was sent, and its instant. Later pages use the same instant, also after the property's timezone has changed. */
export interface ActivityBound {
  readonly text: string;
  readonly at: EpochMilliseconds;
}

/** The list that a page belongs to, with every parameter set. */
export interface ActivityList {
  readonly deviceId: string;
  readonly sort: ActivitySort;
  /** The first instant inside the range. */
  readonly startDate: ActivityBound | undefined;
  /** The first instant after the range. */
  readonly endDate: ActivityBound | undefined;
  readonly language: Language;
  readonly limit: number;
}

/** The last entry of a page. */
export interface LastActivity {
  readonly at: EpochMilliseconds;
  readonly id: string;
}
