import type { Generated } from 'kysely';
import type { AccessCode } from './access-codes/access-code-store.ts';
import type { JobStatus, JobType } from './jobs/job-store.ts';
import type { DeviceType } from './records.ts';

/**
 * The tables of both databases. Flags are 0 and 1, since SQLite's STRICT tables have no boolean type. Times are milliseconds since 1970; the
 * tables `oidc_artifact`, `revoked_grant` and `oauth_client` count in seconds, as OAuth does.
 */
export interface Tables {
  key_check: { id: 1; value: string };
  schema_version: { version: number; name: string; applied_at: number };
  account: {
    id: string;
    name: string;
    trial_ends_at: number | null;
    disabled_at: number | null;
    tokens_valid_after: number | null;
  };
  owner: {
    id: string;
    account_id: string;
    email: string;
    /** `emailKey(email)` */
    email_key: string;
    name: string;
    password_hash: string;
    created_at: number;
    updated_at: number;
    password_set_at: number;
    disabled_at: number | null;
    logins_valid_after: number | null;
  };
  /** `uses`: pairs of the time of the last use in a bucket and their number, as JSON. `purge_at` by the clock of the counter. */
  use_count: { key_hash: string; uses: string; purge_at: number };
  known_browser: { browser_hash: string; owner_id: string; logged_in_at: number; ends_at: number };
  property: { id: string; account_id: string; name: string; timezone: string | null };
  device: DeviceTable;
  device_property: { device_id: string; position: number; property_id: string };
  /** `by_bridge` repeats the type of the linking device, so that an index can enforce "one bridge at most". */
  device_link: { device_id: string; linked_id: string; by_bridge: 0 | 1 };
  access_code: {
    pin_id: string;
    device_id: string;
    generation: number;
    kind: AccessCode['kind'];
    starts_at: number;
    ends_at: number | null;
    activate_by: number;
    variance: number;
    duration_hours: number | null;
    access_name: string;
    issued_at: number;
  };
  job: JobTable;
  job_lease: { device_id: string; holder: string; until: number };
  idempotency_key: {
    client_id: string;
    key_hash: string;
    request_hash: string;
    job_id: string;
    keep_until: number;
  };
  activity: {
    device_id: string;
    at: number;
    id: string;
    received_at: number;
    type: string;
    method: string;
    raw_type: number | null;
    first_use: 0 | 1 | null;
    pin_id: string | null;
    access_name: string | null;
    details: string;
  };
  lock_memory: { device_id: string; sealed: Uint8Array; saved_at: number };
  audit_entry: {
    id: Generated<number>;
    at: number;
    account_id: string;
    client_id: string;
    action: string;
    device_id: string | null;
    request_id: string | null;
    owner_id: string | null;
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
    /** Grows with each write of one uid, and so identifies the newest session without a clock. */
    uid_generation: number | null;
    payload: string;
    consumed_at: number | null;
    expires_at: number | null;
    purge_at: number | null;
    account_id: string | null;
    owner_id: string | null;
    client_id: string | null;
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
  /** Each pairing raises it, an import never does. */
  pairing_generation: Generated<number>;
}

export interface JobTable {
  number: Generated<number>;
  job_id: string;
  account_id: string;
  client_id: string;
  bridge_id: string;
  device_id: string;
  job_type: JobType;
  status: JobStatus;
  result: number;
  output: string;
  created_at: number;
  expires_at: number;
  /** The time when it ended or expires, from which its retention counts. */
  ends_at: number;
  /** Null exactly when the row's status is final. */
  sealed_data: Uint8Array | null;
  /** Whether the job counts against the rate of its bridge. */
  rated: 0 | 1;
}
