// The answer of all peers: the rows and fields of the service, by one prepared statement each, as anybody would write it.
import Database from 'better-sqlite3';

export interface Row {
  readonly id: string;
  readonly device_id: string;
  readonly name: string;
  readonly type: string;
  readonly battery_level: number | null;
  readonly paired_at: number;
  readonly last_sync_at: number;
  readonly takes_algo_pin: number;
  readonly takes_passage_pin: number;
  readonly online: number | null;
  readonly properties: string;
  readonly linked: string;
  readonly bridge_id: string | null;
  readonly timezone: string | null;
}

const columns = `
  d.id, d.device_id, d.name, d.type, d.battery_level, d.paired_at, d.last_sync_at, d.takes_algo_pin, d.takes_passage_pin, d.online,
  (select json_group_array(p.property_id order by p.position) from device_property p where p.device_id = d.device_id) as properties,
  (select json_group_array(json_object('deviceId', o.device_id, 'type', o.type) order by o.device_id)
    from device_link l join device o on o.device_id = l.linked_id where l.device_id = d.device_id) as linked,
  (select l.device_id from device_link l where l.linked_id = d.device_id and l.by_bridge = 1) as bridge_id,
  (select q.timezone from device_property p join property q on q.id = p.property_id where p.device_id = d.device_id and p.position = 0) as timezone`;

/** The two answers that are timed, as values; `seal` creates the cursor from the last row of a page. */
export function openDevices(path: string, seal: (lastDeviceId: string, lastName: string) => string) {
  const database = new Database(path, { readonly: true });
  // With `+?`, as our store writes it: SQLite plans a bare `?` in these places anew at each run, which is no duty of a web framework.
  const page = database.prepare<[string, number], Row>(
    `select ${columns} from device d where d.account_id = +? order by d.name_sort, d.device_id limit +?`,
  );
  const one = database.prepare<[string, string], Row>(
    `select ${columns} from device d where d.device_id = +? and d.account_id = +?`,
  );
  return {
    database,
    list(accountId: string, limit: number) {
      const rows = page.all(accountId, limit + 1);
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { payload: shown.map(describe), nextCursor: last === undefined ? '' : seal(last.device_id, last.name) };
    },
    find(accountId: string, deviceId: string) {
      const row = one.get(deviceId, accountId);
      return row && { ...describe(row), lastSync: formatLocalTime(row.last_sync_at, row.timezone) };
    },
  };
}

/** The fields of an answer, from the columns above. */
export function describe(row: Row) {
  return {
    id: row.id,
    deviceId: row.device_id,
    deviceName: row.name,
    type: row.type,
    homeId: JSON.parse(row.properties) as string[],
    pairedAt: formatLocalTime(row.paired_at, row.timezone),
    ...(row.battery_level === null ? {} : { batteryLevel: row.battery_level }),
    ...(row.online === null ? {} : { online: row.online === 1 }),
    timezone: row.timezone,
    bridgeId: row.bridge_id,
    capabilities: { algoPin: row.takes_algo_pin === 1, passagePin: row.takes_passage_pin === 1 },
    linkedDevices: JSON.parse(row.linked) as { deviceId: string; type: string }[],
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-12-01T15:00:00+01:00`: Sweden writes a date as ISO 8601 does. */
export function formatLocalTime(at: number, timezone: string | null): string {
  const timeZone = timezone ?? 'UTC';
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
    formats.set(timeZone, format);
  }
  const [date = '', time = '', zone = ''] = format.format(at).split(' ');
  return `${date}T${time}${zone.length === 3 ? '+00:00' : zone.slice(3).replace('−', '-')}`;
}

/** A cursor in clear, filled up to the length of a sealed one. */
export function createPlainCursor(length: number): (lastDeviceId: string, lastName: string) => string {
  return (deviceId, name) => Buffer.from(JSON.stringify({ deviceId, name })).toString('base64url').padEnd(length, '_');
}
