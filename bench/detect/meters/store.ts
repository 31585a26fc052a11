import credentials from './credentials.json' with { type: 'json' };
import { instantOf, type Json, type Reading } from './values.ts';

// The state of the server, with the objects that it starts with.

export interface SiteInput {
  readonly name: string;
  readonly timezone: string;
  readonly postcode: string | null;
  readonly area_m2: number | null;
  readonly tags: readonly string[];
  readonly webhook: { readonly url: string; readonly secret: string } | null;
}

export interface Site extends SiteInput {
  readonly id: number;
  readonly account_id: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface MeterInput {
  readonly site_id: number;
  readonly serial: string;
  readonly kind: string;
  readonly multiplier: number;
  readonly installed_on: string | null;
  readonly label: string | null;
}

export interface Meter extends MeterInput {
  readonly id: number;
  /** By the milliseconds of their instants. */
  readonly readings: Map<number, Reading>;
}

export interface Alert {
  readonly id: number;
  readonly meter_id: number;
  state: string;
  readonly severity: number;
  readonly message: string;
  readonly raised_at: string;
  readonly resolved_at: string | null;
}

export interface Report {
  readonly id: number;
  readonly account: number;
  readonly doneMs: number;
  readonly site_id: number;
  readonly month: string;
  readonly created_at: string;
  readonly result: Json;
  /** How often it was read since it was done. */
  doneReads: number;
}

export const qualities = ['measured', 'estimated', 'substituted'];

export class Store {
  nextId = 100;
  /** The first entity tag of each site, as a fault repeats it. */
  readonly firstTags = new Map<number, string>();
  readonly sites = new Map<number, Site>();
  /** Those whose meters stay, which only a fault lets happen. */
  readonly deletedSites = new Map<number, Site>();
  readonly tariffs = new Map<number, Json>();
  readonly meters = new Map<number, Meter>();
  readonly alerts = new Map<number, Alert>();
  readonly reports = new Map<number, Report>();

  constructor() {
    const { first, second } = credentials;
    const hook = { url: 'https://hooks.meters.example/alerts', secret: 'fake-secret-0123456789' };
    this.#addSite(1, first.account_id, 'Harbour office', ['north', 'office'], { postcode: '20457', webhook: hook });
    this.#addSite(2, first.account_id, 'Cold store', ['north', 'warehouse'], { area_m2: 2400.5 });
    this.#addSite(3, second.account_id, 'Bakery', ['north', 'shop'], { postcode: '10117' });
    this.#addSite(4, first.account_id, 'Car park', [], { timezone: 'Europe/Lisbon' });
    this.#addSite(5, second.account_id, 'Mill', ['office'], { area_m2: 90 });
    this.tariffs.set(1, { kind: 'flat', currency: 'EUR', price_per_kwh: '0.3150' });
    const night = { from_hour: 0, to_hour: 6, price_per_kwh: '0.2100' };
    const day = { from_hour: 6, to_hour: 24, price_per_kwh: '0.3490' };
    this.tariffs.set(2, { kind: 'time_of_use', currency: 'EUR', bands: [night, day] });
    this.tariffs.set(3, { kind: 'flat', currency: 'GBP', price_per_kwh: '0.2845' });
    this.#addMeter(1, 1, 'electricity', [120.5, 98.25, 0, 131, 127.125]);
    this.#addMeter(2, 1, 'gas', []);
    this.#addMeter(3, 2, 'electricity', [800, 812.5]);
    this.#addMeter(4, 3, 'electricity', [44.5]);
    this.#addMeter(5, 4, 'water', [3.75]);
    this.#addMeter(6, 5, 'heat', []);
    for (let n = 1; n <= 28; n += 1) this.#addAlert(n, n > 25 ? 4 : (n % 3) + 1);
    for (const n of [1, 2]) {
      const site_id = n === 1 ? 1 : 3;
      const account = n === 1 ? first.account_id : second.account_id;
      const result = sumUp(this, site_id, '2026-03');
      this.reports.set(n, {
        id: n,
        account,
        doneMs: 0,
        site_id,
        month: '2026-03',
        created_at: '2026-04-01T04:00:00Z',
        result,
        doneReads: 0,
      });
    }
  }

  #addSite(id: number, account_id: number, name: string, tags: string[], others: Partial<Site>): void {
    const defaults = { timezone: 'Europe/Berlin', postcode: null, area_m2: null, webhook: null };
    const times = { created_at: '2026-01-10T09:00:00.000Z', updated_at: '2026-02-01T12:30:00.000Z' };
    this.sites.set(id, { id, account_id, name, tags, ...defaults, ...times, ...others });
  }

  #addMeter(id: number, site_id: number, kind: string, energies: readonly number[]): void {
    const readings = energies.map((kwh, i): [number, Reading] => {
      const taken_at = `2026-03-0${i + 1}T00:00:00+01:00`;
      return [
        instantOf(taken_at),
        { taken_at, kwh, quality: qualities[i % 3] ?? '', note: i === 1 ? 'door "B", locked' : null },
      ];
    });
    const serial = `${kind.slice(0, 2).toUpperCase()}-${String(4700 + id).padStart(6, '0')}`;
    const installed_on = id === 2 ? null : '2024-02-29';
    this.meters.set(id, {
      id,
      site_id,
      serial,
      kind,
      multiplier: id,
      installed_on,
      label: null,
      readings: new Map(readings),
    });
  }

  #addAlert(n: number, meter_id: number): void {
    const raised_at = `2026-03-${String(n).padStart(2, '0')}T06:15:00Z`;
    const state = ['resolved', 'open', 'acknowledged'][n % 3] ?? '';
    const resolved_at = state === 'resolved' ? `2026-03-${String(n).padStart(2, '0')}T18:00:00Z` : null;
    this.alerts.set(n, {
      id: n,
      meter_id,
      state,
      severity: (n % 5) + 1,
      message: 'Above the usual load',
      raised_at,
      resolved_at,
    });
  }
}

export function sumUp(store: Store, site_id: number, month: string): Json {
  const readings = [...store.meters.values()]
    .filter((meter) => meter.site_id === site_id)
    .flatMap((meter) => [...meter.readings])
    .filter(([instant]) => new Date(instant).toISOString().startsWith(month))
    .map(([, reading]) => reading);
  const total_kwh = readings.reduce((sum, { kwh }) => sum + kwh, 0);
  const tariff = store.tariffs.get(site_id);
  const cost = tariff?.kind === 'flat' ? (total_kwh * Number(tariff.price_per_kwh)).toFixed(2) : null;
  return { reading_count: readings.length, total_kwh, average_kwh: total_kwh / (readings.length || 1), cost };
}
