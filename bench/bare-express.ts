// The peer: Express alone on the same SQLite file, the same query and the same fields, without token, check or error shape.
// Prints its port.
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import express from 'express';

const [file = '', accountId = ''] = process.argv.slice(2);
const database = new Database(file, { readonly: true });
const page = database.prepare(`
  select d.*, (select json_group_array(p.property_id) from device_property p where p.device_id = d.device_id) as properties
  from device d where d.account_id = ? order by d.name_sort, d.device_id limit 51`);

const app = express();
app.get('/v1/devices', (_, response) => {
  const rows = page.all(accountId) as Record<string, string | number>[];
  response.json({
    payload: rows.slice(0, 50).map((row) => ({
      id: row.id,
      deviceId: row.device_id,
      deviceName: row.name,
      type: row.type,
      homeId: JSON.parse(String(row.properties)),
      pairedAt: new Date(Number(row.paired_at)).toISOString(),
      batteryLevel: row.battery_level,
    })),
    nextCursor: rows.length > 50 ? String(rows[49]?.device_id) : '',
  });
});
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
