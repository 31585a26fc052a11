import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { deriveDeviceKey } from '../server/algopin/derive-device-key.ts';
import { derivePinId } from '../server/algopin/derive-pin-id.ts';
import { encodePin } from '../server/algopin/encode-pin.ts';
import { type CodeKind, codeKinds } from '../server/algopin/kinds.ts';
import { type CodeRequest, planCode } from '../server/algopin/plan-code.ts';
import { verifyPin } from '../server/algopin/verify-pin.ts';
import { Temporal } from '../server/temporal.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';

const rounds = 7;
const entries = 1000;
const codes = 5000;
const hour = 3_600_000;
const key = deriveDeviceKey(new Uint8Array(32).fill(7), 'LK0A00000001', 1);
const secret = createSecretKey(key);
const now = Temporal.Instant.from('2026-11-20T17:30:00Z').toZonedDateTimeISO('Europe/Berlin');
const unused: ReadonlySet<string> = new Set();

/**
 * In processor time: nothing here waits, and what else the machine does would otherwise count as slowness.
 *
 * The peer is what locks with offline codes commonly do: hash every window that could open now, and
 * compare.
 */
export const algopin: Question = {
  asks: 'How fast is a wrong entry judged, compared with hashing every code that could open, and how fast are codes created? Processor time.',
  async run(progress) {
    const requests = makeRequests();
    const tasks = {
      verify: () => times(entries, (index) => verifyPin(String(100_000_007 + index * 899_989), key, now, unused)),
      enumerate: () => enumerate(secret, '100000007'),
      issue: () => issue(requests),
      rules: () => times(codes, (index) => planCode(requests.at(index % requests.length) ?? requests[0], now)),
      keys: () => times(codes, (index) => deriveDeviceKey(key, `LK${index}`, 1)),
      pinIds: () => times(codes, (index) => derivePinId(key, 'LK0A00000001', String(100_000_000 + index))),
    };
    const measured = Object.fromEntries(Object.keys(tasks).map((name) => [name, []])) as unknown as Record<
      keyof typeof tasks,
      number[]
    >;
    // One round more than counted warms all of them up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, task] of Object.entries(tasks) as [keyof typeof tasks, () => void][]) {
        progress(`round ${round} of ${rounds}: ${name}`);
        const started = process.cpuUsage();
        task();
        const { user, system } = process.cpuUsage(started);
        if (round > 0) measured[name].push((user + system) / 1000);
      }
    }
    const hashes = enumerate(secret, '100000007');
    return {
      rows: [
        { name: `${entries} wrong entries, each by one decryption`, milliseconds: measured.verify },
        { name: `one wrong entry, by ${hashes.toLocaleString('en')} hashes`, milliseconds: measured.enumerate },
        { name: `${codes} codes: window rules and digits`, milliseconds: measured.issue },
        { name: `${codes} times the window rules alone`, milliseconds: measured.rules },
        { name: `${codes} keys of devices`, milliseconds: measured.keys },
        { name: `${codes} times pinId`, milliseconds: measured.pinIds },
      ],
      ratios: [
        {
          name: `${entries} entries by decryption over one by hashes`,
          ratio: median(measured.verify.map((time, index) => time / (measured.enumerate[index] ?? Number.NaN))),
          target: 1,
        },
        { name: `seconds for ${codes} codes, on one core`, ratio: median(measured.issue) / 1000, target: 1 },
      ],
      versions: {
        ...(await versionsOf(['@noble/ciphers'], 'server')),
        ...('Temporal' in globalThis ? { Temporal: 'native' } : await versionsOf(['temporal-polyfill'], 'server')),
      },
    };
  },
};

/** Every kind in turn, starts of a year, an end where the kind takes one. */
function makeRequests(): readonly [CodeRequest, ...CodeRequest[]] {
  const kinds = Object.keys(codeKinds) as readonly CodeKind[];
  const current = now.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const requests = Array.from({ length: codes }, (_, index): CodeRequest => {
    const kind = kinds[index % kinds.length] ?? 'onetime';
    const { durationFrom, shortest, longest, end } = codeKinds[kind];
    const start = current.add({ hours: (index * 7) % (366 * 24) });
    const length = shortest + (index % (longest - shortest + 1));
    const endDate = durationFrom === 'endDate' ? end(start, length)?.toInstant() : undefined;
    return { kind, startDate: start.toInstant(), endDate, variance: 1 + (index % 3) };
  });
  const [first, ...others] = requests;
  if (first === undefined) throw new Error('no requests');
  return [first, ...others];
}

function issue(requests: readonly CodeRequest[]): void {
  for (const request of requests) {
    const plan = planCode(request, now);
    if (plan.kind === 'fault') throw new Error(plan.fault.text);
    encodePin(key, plan.code);
  }
}

/**
 * All codes whose first use could be now, under the same rules. The windows cost the peer nothing but a few sums: where clocks change is
 * left out, so that only its hashes are counted.
 *
 * @returns how many hashes it took to refuse the entry
 */
function enumerate(peerKey: KeyObject, entry: string): number {
  const currentHour = Math.floor(now.epochMilliseconds / hour);
  let hashes = 0;
  for (const [kind, { shortest, longest, variances }] of Object.entries(codeKinds)) {
    for (let age = 0; age < 24; age += 1) {
      // An hourly code of so many hours has ended when it is older.
      for (
        let duration = kind === 'hourly' ? Math.max(shortest, age + 1) : shortest;
        duration <= longest;
        duration += 1
      ) {
        for (let variance = 1; variance <= variances; variance += 1) {
          const text = `${kind}/${currentHour - age}/${duration}/${variance}`;
          const hash = createHmac('sha256', peerKey).update(text).digest();
          hashes += 1;
          if (String(100_000_000 + (hash.readUInt32BE() % 900_000_000)) === entry) return hashes;
        }
      }
    }
  }
  return hashes;
}

function times(count: number, task: (index: number) => unknown): void {
  for (let index = 0; index < count; index += 1) task(index);
}
