// Objects of the roster service in memory, and the ones that it begins with: two trusts, three accounts.
import { createHmac } from 'node:crypto';

export type Json = Record<string, unknown>;
export type Role = 'planner' | 'nurse';

export interface Account {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
  readonly trust: string;
}

export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly csrf: string;
  readonly expiresAt: number;
}

export interface Absence extends Json {
  version: number;
}

export interface Staff {
  readonly code: string;
  readonly initials: string;
  readonly grade: string;
  readonly skills: readonly string[];
  readonly contractHours: number;
  readonly email: string | null;
  readonly absences: Record<string, Absence>;
}

export interface WeeklyPattern extends Json {
  version: number;
  validFrom: string;
  validUntil?: string | null;
  days: Record<string, { starts: string }[]>;
}

export interface Clinic {
  readonly trust: string;
  readonly slug: string;
  readonly name: string;
  readonly city: string | null;
  readonly timezone: string;
  readonly wards: readonly { code: string; name: string; beds: number }[];
  readonly contacts: Record<string, string>;
  weeklyPattern: WeeklyPattern | null;
  readonly staff: Map<string, Staff>;
}

export interface NewShift {
  day: string;
  starts: string;
  minutes: number;
  ward: string;
  staff?: string | null;
  skills: string[];
  agency?: string;
  agencyRate?: number;
  tags?: Record<string, string>;
  clinic?: string;
}

export interface Shift extends NewShift {
  readonly shiftNo: string;
  readonly clinic: string;
  staff: string | null;
  tags: Record<string, string>;
  status: 'open' | 'assigned' | 'swapping';
  readonly payrollRef: number;
  readonly createdAt: string;
  version: number;
}

export interface Swap {
  readonly id: string;
  readonly clinic: string;
  readonly shiftNo: string;
  readonly from: string;
  readonly with: string;
  readonly reason: string;
  readonly pin: string;
  readonly keepPay: boolean;
  status: 'pending' | 'approved';
  decidedBy: string | null;
  comment: string | null;
  version: number;
}

export const accounts: readonly Account[] = [
  { email: 'planner@north.example', password: 'blue-kettle-42', role: 'planner', trust: 'north' },
  { email: 'nurse@north.example', password: 'green-ladder-17', role: 'nurse', trust: 'north' },
  { email: 'planner@south.example', password: 'red-window-93', role: 'planner', trust: 'south' },
];
export const sign = (id: string) => createHmac('sha256', 'not-a-real-key').update(id).digest('hex').slice(0, 32);
export const cookieOf = (session: Session) => `${session.id}.${sign(session.id)}`;

/** Sessions that `credentials.json` lists: one for each account, and one of the first account that has expired. */
function seedSessions(): Map<string, Session> {
  const session = (n: number, account = accounts[0] as Account, expiresAt = Date.UTC(2099, 0, 1)): Session => ({
    id: String(n).repeat(24),
    account,
    csrf: String(n).repeat(32),
    expiresAt,
  });
  const seeded = [
    ...accounts.map((account, i) => session(i + 1, account)),
    session(4, accounts[0], Date.UTC(2020, 0, 1)),
  ];
  return new Map(seeded.map((one) => [one.id, one]));
}

export class State {
  readonly sessions = seedSessions();
  readonly clinics = new Map<string, Clinic>();
  readonly shifts = new Map<string, Shift>();
  readonly swaps = new Map<string, Swap>();
  /** Answers to requests with an `Idempotency-Key`. */
  readonly replies = new Map<string, { body: unknown; answer: unknown }>();
  /** Open shifts by clinic that are counted after their deletion, which only a fault lets happen. */
  readonly deletedOpen = new Map<string, number>();
  readonly #startedAt: string;
  #shiftCount = 0;

  constructor(startedAt: string) {
    this.#startedAt = startedAt;
    this.#addClinic('north', 'north-quay', 'North Quay', 'Leeds', ['A1', 'B2', 'C3'], 4, true);
    this.#addClinic('north', 'muehltor', 'Klinik am Mühltor', null, ['M1'], 2, false);
    this.#addClinic('north', 'old-brewery', 'Old Brewery', 'York', ['K7', 'K8'], 2, true);
    this.#addClinic('south', 'harbour-view', 'Harbour View', 'Hove', ['H1', 'H2'], 2, true);
    for (let i = 1; i <= 12; i++) {
      const staff = i % 3 ? `NQ10${(i % 4) + 1}` : null;
      this.addShift('north-quay', { ...seedShift, day: `2026-12-${String(i).padStart(2, '0')}`, ward: 'B2', staff });
    }
    this.addShift('muehltor', { ...seedShift, day: '2026-12-03', ward: 'M1', staff: 'MU101' });
    this.addShift('harbour-view', { ...seedShift, day: '2026-12-03', ward: 'H1', staff: 'HA101' });
    this.addShift('harbour-view', { ...seedShift, day: '2026-12-04', ward: 'H2', staff: null });
    this.addSwap('sw_k2m9x4qa', 'S-0002', 'NQ101');
    this.addSwap('sw_p7r3d8zt', 'S-0005', 'NQ104');
    this.addSwap('sw_h5v1c6nb', 'S-0014', 'HA102');
  }

  #addClinic(
    trust: string,
    slug: string,
    name: string,
    city: string | null,
    wards: string[],
    size: number,
    open: boolean,
  ) {
    const prefix = slug.slice(0, 2).toUpperCase().replace('NO', 'NQ');
    const staff = Array.from({ length: size }, (_, i): Staff => {
      const { grade, skills, contractHours } = seedStaff[i] as (typeof seedStaff)[number];
      const code = `${prefix}10${i + 1}`;
      const email = i % 2 ? null : `${code.toLowerCase()}@${trust}.example`;
      return { code, initials: `${prefix}${'ABCD'[i]}`, grade, skills, contractHours, email, absences: {} };
    });
    const second = staff[1] as Staff;
    second.absences['2026-12-28'] = {
      version: 1,
      firstDay: '2026-12-28',
      lastDay: '2027-01-02',
      kind: 'holiday',
      note: null,
    };
    this.clinics.set(slug, {
      trust,
      slug,
      name,
      city,
      timezone: slug === 'muehltor' ? 'Europe/Berlin' : 'Europe/London',
      wards: wards.map((code, i) => ({ code, name: `Ward ${code}`, beds: 12 + 6 * i })),
      contacts: city ? { rota: `rota@${slug}.example` } : {},
      weeklyPattern: open ? structuredClone(seedPattern) : null,
      staff: new Map(staff.map((one) => [one.code, one])),
    });
  }

  nextNumber(): number {
    this.#shiftCount += 1;
    return this.#shiftCount;
  }

  addShift(clinic: string, given: NewShift, number = this.nextNumber(), createdAt = this.#startedAt): Shift {
    const { staff = null, tags = {}, clinic: _, ...rest } = given;
    const shift: Shift = {
      ...rest,
      shiftNo: `S-${String(number).padStart(4, '0')}`,
      clinic,
      staff,
      tags,
      status: staff ? 'assigned' : 'open',
      payrollRef: 880_000_000_000 + number * 17,
      createdAt,
      version: 1,
    };
    this.shifts.set(shift.shiftNo, shift);
    return shift;
  }

  addSwap(id: string, shiftNo: string, by: string, reason = 'Exam on that day', pin = '0417', keepPay = false): Swap {
    const shift = this.shifts.get(shiftNo) as Shift;
    const { clinic, staff } = shift;
    shift.status = 'swapping';
    const open = { status: 'pending', decidedBy: null, comment: null, version: 1 } as const;
    const swap: Swap = { id, clinic, shiftNo, from: staff as string, with: by, reason, pin, keepPay, ...open };
    this.swaps.set(id, swap);
    return swap;
  }

  shiftsOf(clinic: Clinic): Shift[] {
    return [...this.shifts.values()].filter((shift) => shift.clinic === clinic.slug);
  }
}

const seedShift = { starts: '07:00', minutes: 480, skills: [] as string[] };
const seedStaff = [
  { grade: 'senior', skills: ['triage', 'dialysis', 'theatre'], contractHours: 38.5 },
  { grade: 'nurse', skills: ['triage'], contractHours: 30 },
  { grade: 'assistant', skills: [], contractHours: 20 },
  { grade: 'agency', skills: ['triage', 'paediatrics'], contractHours: 0 },
] as const;
const seedPattern: WeeklyPattern = {
  version: 3,
  validFrom: '2026-09-01',
  validUntil: null,
  rotation: { kind: 'rolling', everyWeeks: 4 },
  days: {
    mon: [{ label: 'Early', starts: '06:30', minutes: 480, demand: [{ skill: 'triage', count: 2 }] }] as never,
    sat: [{ label: 'Late', starts: '14:00', minutes: 600, demand: [{ skill: 'theatre', count: 1 }] }] as never,
  },
};
