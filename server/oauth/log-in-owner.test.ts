import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Owner } from '../store/records.ts';
import { createGuessLimits } from './limit-guesses.ts';
import { type Credentials, createOwnerLogin, type LoginResult } from './log-in-owner.ts';
import { createPasswords } from './passwords.ts';

// Logins under guessing, with scrypt and pauses of the real length on a clock that is moved on. If these fail, guessers keep owners out.

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
    limitGuesses: createGuessLimits(wait),
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

const addressOf = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

/** Runs for so long what sends one request after the other. */
async function runFor(seconds: number, ...loops: readonly ((until: number) => Promise<void>)[]): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const all = Promise.all(loops.map((loop) => loop(until)));
  await vi.advanceTimersByTimeAsync(seconds * 1000 + 60_000);
  await all;
}

/** What each of 62 threads sends, one after the other. */
const floods: readonly { readonly name: string; readonly guess: (n: number) => Partial<Credentials> }[] = [
  {
    name: 'guesses at anybody, from many addresses',
    guess: (n) => ({ email: `guess-${n}@x.example`, address: addressOf(n) }),
  },
  { name: 'guesses at anybody, from the same address', guess: (n) => ({ email: `guess-${n}@x.example` }) },
  { name: 'guesses at the owner, from many addresses', guess: (n) => ({ address: addressOf(n) }) },
  { name: 'guesses at the owner by callers that leave', guess: (n) => ({ address: addressOf(n), isWaited: isLeft() }) },
  {
    name: 'logins of another owner, in four browsers of before',
    guess: (n) => ({ email: 'other@harbour.example', password: right, knownBrowser: `other-${n % 4}` }),
  },
];

function isLeft() {
  const arrived = Date.now();
  return () => Date.now() < arrived + 100;
}

test.each(floods)('a right password is taken in a browser of before, beside $name', async ({ guess }) => {
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
  // Of those before it two are looked at, and one of those who wait apart.
  expect(longestMs).toBeLessThanOrEqual(4 * scryptMs);
});
