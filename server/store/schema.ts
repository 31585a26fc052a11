import type { Generated } from 'kysely';
import type { DeviceType } from './records.ts';

/**
 * The tables as both databases have them. Flags are 0 and 1, since SQLite's STRICT tables know no boolean. Times of the
 * domain are milliseconds since 1970; the `oidc_artifact`, `revoked_grant` and `oauth_client` tables count in seconds, as
 * their readers do.
 */
export interface Tables {
  schema_version: { version: number; name: string; applied_at: number };
  account: {
    id: string;
    name: string;
    trial_ends_at: number | null;
    disabled_at: number | null;
    tokens_valid_after: number | null;
  };
  property: { id: string; account_id: string; name: string; timezone: string | null };
  device: DeviceTable;
  device_property: { device_id: string; position: number; property_id: string };
  /** `by_bridge` repeats the type of the linking device, so that an index can hold "one bridge at most". */
  device_link: { device_id: string; linked_id: string; by_bridge: 0 | 1 };
  audit_entry: {
    id: Generated<number>;
    at: number;
    account_id: string;
    client_id: string;
    action: string;
    device_id: string | null;
    request_id: string | null;
  };
  oauth_client: {
    client_id: string;
    metadata: string;
    disabled_at: number | null;
    tokens_valid_after: number | null;
  };
  oidc_artifact: {
    model: string;
    id_hash: string;
    grant_id: string | null;
    uid: string | null;
    /** Grows with each write of one uid: tells the newest session without a clock. */
    uid_generation: number | null;
    payload: string;
    consumed_at: number | null;
    expires_at: number | null;
    purge_at: number | null;
  };
  revoked_grant: { grant_id: string; revoked_at: number; keep_until: number };
}

interface DeviceTable {
  device_id: string;
  id: string;
  account_id: string;
  name: string;
  /** `sortForm(name)` */
  name_sort: string;
  /** `searchForm(name)` */
  name_search: string;
  type: DeviceType;
  battery_level: number | null;
  paired_at: number;
  last_sync_at: number;
  takes_algo_pin: 0 | 1;
  takes_passage_pin: 0 | 1;
  online: 0 | 1 | null;
}
