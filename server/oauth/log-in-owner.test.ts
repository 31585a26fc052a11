import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Owner } from '../store/records.ts';
import { createGuessLimits } from './limit-guesses.ts';
import { type Credentials, createOwnerLogin, type LoginResult } from './log-in-owner.ts';
import { createPasswords } from './passwords.ts';

// Logins during guesses, with scrypt and pauses of the real length on a fake clock. If these fail, guessers keep owners out.

const start = Date.UTC(2026, 11, 1, 12);
const scryptMs = 350;
const right = 'correct horse battery staple';
const [salt, hash] = [Buffer.alloc(16), Buffer.alloc(32, 1)];

const owner: Owner = {
  id: 'owner-1',
  accountId: 'acc-harbour',
  email: 'owner@harbour.example',
  name: 'Harbour Owner',
  passwordHash: `$scrypt$ln=1,r=8,p=1$${salt.toString('base64').replace(/=+$/, '')}$${hash.toString('base64').replace(/=+$/, '')}`,
  createdAt: start,
  updatedAt: start,
  passwordSetAt: start,
  disabledAt: null,
  loginsValidAfter: null,
};

const owners = [owner, { ...owner, id: 'owner-2', email: 'other@harbour.example' }];

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout'], now: start }));
afterEach(() => void vi.useRealTimers());

function begin() {
  const logIn = createOwnerLogin({
    store: {
      owners: { findByEmail: async (email: string) => owners.find((one) => one.email === email) },
      accounts: { find: async () => ({ disabledAt: null }) },
      audit: { add: async () => undefined },
    } as never,
    passwords: createPasswords({
      derive: async (password, _salt, lengthBytes) => {
        await wait(scryptMs);
        return password === right ? hash : Buffer.alloc(lengthBytes);
      },
    }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    limitGuesses: createGuessLimits({ pause: wait, draw: createDraw() }),
  });
  const attempt = (given: Partial<Credentials>): Promise<LoginResult> =>
    logIn({
      email: owner.email,
      password: 'a guess',
      address: '192.0.2.1',
      requestId: 'req-1',
      clientId: undefined,
      knownBrowser: undefined,
      isWaited: () => true,
      ...given,
    });
  return { attempt };
}

/** The same random numbers in every run: Park and Miller's generator. */
function createDraw() {
  let state = 20_261_121;
  return (count: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
}

const addressOf = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

/** Runs loops of requests for a number of seconds. */
async function runFor(seconds: number, ...loops: readonly ((until: number) => Promise<void>)[]): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const all = Promise.all(loops.map((loop) => loop(until)));
  await vi.advanceTimersByTimeAsync(seconds * 1000 + 60_000);
  await all;
}

/** Requests of 62 threads, each of which sends the next one after an answer. */
const floods: readonly { readonly name: string; readonly guess: (n: number) => Partial<Credentials> }[] = [
  {
    name: 'guesses at anybody, from many addresses',
    guess: (n) => ({ email: `guess-${n}@x.example`, address: addressOf(n) }),
  },
  { name: 'guesses at anybody, from the same address', guess: (n) => ({ email: `guess-${n}@x.example` }) },
  { name: 'guesses at the owner, from many addresses', guess: (n) => ({ address: addressOf(n) }) },
  { name: 'guesses at the owner by callers that leave', guess: (n) => ({ address: addressOf(n), isWaited: isLeft() }) },
  {
    name: 'logins of another owner, in four known browsers',
    guess: (n) => ({ email: 'other@harbour.example', password: right, knownBrowser: `other-${n % 4}` }),
  },
];

function isLeft() {
  const arrived = Date.now();
  return () => Date.now() < arrived + 100;
}

test.each(floods)('a right password is accepted in a known browser during $name', async ({ guess }) => {
  const { attempt } = begin();
  let sent = 0;
  const thread = async (until: number) => {
    for (; Date.now() < until; await wait(50)) {
      sent += 1;
      await attempt(guess(sent));
    }
  };
  const kinds: string[] = [];
  let longestMs = 0;
  const known = async (until: number) => {
    for (await wait(1000); Date.now() < until; await wait(1000)) {
      const began = Date.now();
      kinds.push((await attempt({ password: right, knownBrowser: 'b' })).kind);
      longestMs = Math.max(longestMs, Date.now() - began);
    }
  };
  await runFor(6, known, ...Array.from({ length: 62 }, () => thread));
  expect(kinds).toEqual(new Array(4).fill('right'));
  // Two passwords are being checked when it arrives, and one of a new browser may have its turn first.
  expect(longestMs).toBeLessThanOrEqual(4 * scryptMs);
});

describe('an owner in a new browser, who tries again after each wait,', () => {
  const home = '198.51.100.7';
  /** Each in its own network. */
  const scattered = (n: number) => `${n % 222}.${n % 199}.${n % 251}.1`;
  const anyone = (n: number) => ({ email: `guess-${n}@x.example`, address: scattered(n) });
  const nextDoor = (n: number) => ({ ...anyone(n), address: home });
  const anywhere = (n: number) => ({ address: scattered(n) });
  const ownNetwork = (_: number, thread: number) => ({ address: scattered(thread) });

  interface Attack {
    readonly name: string;
    /** Sent without waiting for answers. */
    readonly perSecond?: number;
    /** Each thread sends the next guess after an answer. */
    readonly threads?: number;
    /** The threads respect `Retry-After`. */
    readonly isPatient?: boolean;
    readonly guess: (n: number, thread: number) => Partial<Credentials>;
    /** Wrong passwords of the owner before the right one. */
    readonly typos?: number;
  }

  const attacks: readonly Attack[] = [
    { name: '30 guesses a second, each from another network', perSecond: 30, guess: anywhere },
    { name: '30 guesses a second at anybody, behind the same address', perSecond: 30, guess: nextDoor },
    { name: '30 guesses a second at anybody, each from another network', perSecond: 30, guess: anyone },
    {
      name: '60 threads that respect the waits, in a network each',
      threads: 60,
      isPatient: true,
      guess: ownNetwork,
    },
    { name: '30 guesses a second, after a wrong password of the owner', perSecond: 30, guess: anywhere, typos: 1 },
    {
      name: '30 guesses a second, from 500 addresses of a network in turn',
      perSecond: 30,
      guess: (n) => ({ address: addressOf(n % 500) }),
    },
  ];

  const more: readonly Attack[] = [
    { name: '62 threads, each guess from another network', threads: 62, guess: anywhere },
    { name: '62 threads, each guess from another address', threads: 62, guess: (n) => ({ address: addressOf(n) }) },
    { name: '62 threads in a network each', threads: 62, guess: ownNetwork },
    { name: '62 threads at anybody, behind the same address', threads: 62, guess: nextDoor },
    { name: '62 threads at anybody, each guess from another network', threads: 62, guess: anyone },
    {
      name: '300 threads that respect the waits, with an address each of one network',
      threads: 300,
      isPatient: true,
      guess: (_, thread) => ({ address: addressOf(thread) }),
    },
    {
      name: '30 guesses a second, from 2,000 addresses in turn',
      perSecond: 30,
      guess: (n) => ({ address: scattered(n % 2000) }),
    },
  ];

  test.each(attacks)('logs in within a minute during $name', (attack) => run(attack, 100));
  test.each(more)('logs in within a minute during $name', { tags: ['full'] }, (attack) => run(attack, 500));

  async function run(attack: Attack, seconds: number): Promise<void> {
    const { attempt } = begin();
    const { perSecond = 0, threads = 0, isPatient = false } = attack;
    let sent = 0;
    const send = (thread: number) => {
      sent += 1;
      return attempt(attack.guess(sent, thread));
    };
    const flood = async (until: number) => {
      for (; Date.now() < until; await wait(1000 / perSecond)) void send(0);
    };
    const thread = (number: number) => async (until: number) => {
      while (Date.now() < until) {
        const result = await send(number);
        await wait(isPatient && 'waitSeconds' in result ? Math.min(result.waitSeconds * 1000, until - Date.now()) : 50);
      }
    };
    const took: number[] = [];
    const arrive = (after: number) => async (until: number) => {
      await wait(after * 1000);
      const arrived = Date.now();
      for (let typos = attack.typos ?? 0; Date.now() < until; ) {
        const result = await attempt({ password: typos > 0 ? 'a typing error' : right, address: home });
        if (result.kind === 'right') break;
        if (result.kind === 'wrong') typos -= 1;
        await wait('waitSeconds' in result ? result.waitSeconds * 1000 : 3000);
      }
      took.push(Math.round((Date.now() - arrived) / 1000));
    };
    const guessers = perSecond > 0 ? [flood] : Array.from({ length: threads }, (_, number) => thread(number));
    const arrivals = Array.from({ length: seconds / 100 }, (_, index) => arrive(40 + index * 100));
    await runFor(seconds, ...arrivals, ...guessers);
    expect(Math.max(...took)).toBeLessThanOrEqual(60);
  }
});
