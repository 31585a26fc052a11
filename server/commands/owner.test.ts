import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPasswords } from '../oauth/passwords.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { addOwner, listOwners, setOwnerPassword, switchOwner } from './owner.ts';

const now = Date.UTC(2026, 10, 21, 8, 0, 0, 345);
const email = 'Anna@acme.example';
const passwords = createPasswords({ ln: 1 });
const entry = { at: now, accountId: 'acme', clientId: 'operator', deviceId: null, requestId: null };

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  for (const id of ['acme', 'other']) await store.accounts.put({ id, name: id, trialEndsAt: null });
});
afterEach(() => store.close());

interface Given {
  readonly account?: string;
  readonly name?: string;
  readonly password?: string;
  readonly at?: number;
}

const add = (address = email, { account = 'acme', name, password, at = now }: Given = {}) =>
  addOwner(store, address, { account, name, passwords, now: at, ...read(password) });
const setPassword = (address: string, { password, at = now }: Given = {}) =>
  setOwnerPassword(store, address, { passwords, now: at, ...read(password) });
const read = (password: string | undefined) => ({
  readPassword: password === undefined ? undefined : async () => password,
});
const opens = async (password: string, address = email) =>
  passwords.matches(password, (await store.owners.findByEmail(address))?.passwordHash);

describe('owner add', () => {
  test('makes a password that opens, shows it once and audits no word of it', async () => {
    const { kind, text, json } = await add(email, { name: 'Anna 🐢' });
    const { id, password } = json as { id: string; password: string };
    expect([kind, text]).toEqual([
      'done',
      `Added the owner ${email} of acme.\nThe password, shown only now:\n${password}`,
    ]);
    expect(json).toEqual({ email, id, account: 'acme', name: 'Anna 🐢', created: true, password });
    expect(id).toMatch(/^owner-[0-9a-f]{24}$/);
    expect(await opens(password)).toBe(true);
    expect(await store.owners.find(id)).toMatchObject({ email, name: 'Anna 🐢', createdAt: now, disabledAt: null });
    const audited = await store.audit.list('acme');
    expect(audited).toEqual([{ ...entry, action: 'add_owner', ownerId: id }]);
    expect(JSON.stringify(audited)).not.toContain(password);
  });

  test('takes a password that is given, and does not show it', async () => {
    const { text, json } = await add(email, { password: 'twelve chars' });
    expect(text + JSON.stringify(json)).not.toContain('twelve');
    expect(await opens('twelve chars')).toBe(true);
    expect(json).toMatchObject({ created: true, name: email });
  });

  test('twice changes nothing, in whatever case, and does not ask for a password', async () => {
    await add(email, { password: 'twelve chars' });
    const before = await store.owners.list({ limit: 9 });
    const asked = async () => expect.fail('nobody needs one');
    const again = await addOwner(store, 'ANNA@acme.example', { account: 'acme', passwords, now, readPassword: asked });
    expect(again).toMatchObject({
      kind: 'done',
      text: `The owner ${email} exists already; nothing changed, not even the password.`,
      json: { created: false },
      fixes: [{ command: ['lockstep-server', 'owner', 'password', email, '--password-stdin'] }],
    });
    expect(again.json).not.toHaveProperty('password');
    expect((await add()).fixes).toMatchObject([{ command: ['lockstep-server', 'owner', 'password', email] }]);
    expect(await store.owners.list({ limit: 9 })).toEqual(before);
    expect(await store.audit.list('acme')).toHaveLength(1);
  });

  test.each([
    { given: { account: 'other' }, differing: ['--account'] },
    { given: { name: 'Anne' }, differing: ['--name'] },
    { given: { account: 'other', name: 'Anne' }, differing: ['--account', '--name'] },
  ])('twice with something else is refused: $differing', async ({ given, differing }) => {
    await add(email, { name: 'Anna' });
    expect(await add(email, given)).toMatchObject({
      kind: 'refused',
      text: `The owner ${email} exists already and differs in ${differing.join(', ')}; nothing changed.`,
      json: { created: false, differing },
    });
    expect(await store.owners.list({ limit: 9 })).toMatchObject([{ accountId: 'acme', name: 'Anna' }]);
  });

  test('twice at once adds one', async () => {
    const results = await Promise.all([add(), add(), add(email.toUpperCase())]);
    expect(results.map(({ kind, json }) => [kind, (json as { created: boolean }).created]).toSorted()).toEqual([
      ['done', false],
      ['done', false],
      ['done', true],
    ]);
    expect(await store.owners.list({ limit: 9 })).toHaveLength(1);
  });

  test('keeps one spelling of a letter', async () => {
    expect((await add('zoë@acme.example'.normalize('NFD'))).json).toMatchObject({
      email: 'zoë@acme.example'.normalize('NFC'),
    });
  });

  test.each([
    '',
    'anna',
    '@acme.example',
    'anna@',
    'a@b@c',
    'an na@acme.example',
    'anna@acme.example ',
    'anna\n@acme.example',
    'anna\u0000@acme.example',
    'anna\u00a0@acme.example',
    `${'a'.repeat(250)}@b.cd`,
    'a'.repeat(5000),
  ])('refuses what is no e-mail, with what would be: %j', async (address) => {
    const { kind, text } = await add(address);
    expect([kind, text]).toEqual([
      'refused',
      expect.stringMatching(/^The e-mail is ".*": it needs one @ between other characters, .* 254 at most\.$/s),
    ]);
    expect(text.length).toBeLessThan(500);
    expect(await store.owners.list({ limit: 9 })).toEqual([]);
  });

  test.each(['a@b', 'ANNA+tag@sub.acme.example', "o'neil@acme", 'анна@пример.example', `${'a'.repeat(249)}@b.cd`])(
    'is no cleverer than that: %s',
    async (address) => {
      expect((await add(address)).kind).toBe('done');
    },
  );

  test.each([
    ['', 'has 0 characters: it needs 12 to 128.'],
    ['eleven char', 'has 11 characters: it needs 12 to 128.'],
    ['x'.repeat(129), 'has 129 characters: it needs 12 to 128.'],
    ['tab\tin the middle', 'has a control character'],
  ])('refuses the password %j', async (password, message) => {
    const { kind, text } = await add(email, { password });
    expect([kind, text]).toEqual(['refused', expect.stringContaining(message)]);
    expect(await store.owners.list({ limit: 9 })).toEqual([]);
  });

  test.each([
    { given: { account: 'acm' }, message: 'There is no account acm; nearest: acme' },
    { given: { name: '' }, message: '--name is "": give 1 to 100 printable characters' },
    { given: { name: ' Anna' }, message: '--name is " Anna": give 1 to 100 printable characters' },
    { given: { name: 'A\nB' }, message: '--name is "A\\nB": give 1 to 100 printable characters' },
    { given: { name: 'x'.repeat(101) }, message: 'without spaces around them' },
  ])('refuses $given before it asks for a password', async ({ given, message }) => {
    const { kind, text } = await addOwner(store, email, {
      ...{ account: 'acme', passwords, now },
      ...given,
      readPassword: async () => expect.fail('nobody needs one'),
    });
    expect([kind, text]).toEqual(['refused', expect.stringContaining(message)]);
  });
});

describe('owner password', () => {
  test('creates a new one, prints it once, invalidates the old one and is audited', async () => {
    await add(email, { password: 'twelve chars' });
    const { kind, text, json } = await setPassword(email.toLowerCase(), { at: now + 1000 });
    const { id, password } = json as { id: string; password: string };
    expect([kind, text]).toEqual([
      'done',
      `${email} has a new password, and is logged out in every browser. Connected applications stay connected.\nThe password, shown only now:\n${password}`,
    ]);
    expect([await opens('twelve chars'), await opens(password)]).toEqual([false, true]);
    expect(await store.owners.find(id)).toMatchObject({ passwordSetAt: now + 1000, loginsValidAfter: now + 1000 });
    expect((await store.audit.list('acme')).at(-1)).toEqual({
      ...{ ...entry, at: now + 1000 },
      action: 'set_owner_password',
      ownerId: id,
    });
    const given = await setPassword(email, { password: 'another dozen' });
    expect(given.text + JSON.stringify(given.json)).not.toContain('dozen');
    expect(await opens('another dozen')).toBe(true);
  });

  test('refuses a short one, and the old one stays', async () => {
    await add(email, { password: 'twelve chars' });
    expect((await setPassword(email, { password: 'short' })).kind).toBe('refused');
    expect(await opens('twelve chars')).toBe(true);
  });

  test('reports that the owner is disabled', async () => {
    await add();
    await switchOwner(store, email, 'disable', now);
    expect(await setPassword(email)).toMatchObject({
      text: expect.stringContaining('The owner is disabled'),
      json: { disabled: true },
    });
  });
});

test('owner disable and enable: as often as they like, each change audited once', async () => {
  const { id } = (await add()).json as { id: string };
  const results = [];
  for (const verb of ['disable', 'disable', 'enable', 'enable'] as const)
    results.push(await switchOwner(store, email.toUpperCase(), verb, now));
  expect(results.map(({ kind, text }) => [kind, text])).toEqual([
    ['done', `${email}: disabled. The owner is logged out everywhere, and every app is disconnected.`],
    ['done', `${email} is disabled already; nothing changed.`],
    ['done', `${email}: enabled`],
    ['done', `${email} is enabled already; nothing changed.`],
  ]);
  expect(results.map(({ json }) => json)).toEqual(
    [
      { disabled: true, changed: true },
      { disabled: true, changed: false },
      { disabled: false, changed: true },
      { disabled: false, changed: false },
    ].map((one) => ({ email, id, ...one })),
  );
  expect((await store.audit.list('acme')).map(({ action, ownerId }) => [action, ownerId])).toEqual([
    ['add_owner', id],
    ['disable_owner', id],
    ['enable_owner', id],
  ]);
});

test('owner list shows who logs in where, and no hash', async () => {
  await add(email, { name: 'Anna' });
  await add('b@other.example', { account: 'other', at: now + 60_000 });
  await setPassword(email, { at: now + 120_000 });
  await switchOwner(store, 'b@other.example', 'disable', now);
  const { text, json } = await listOwners(store, { limit: 9 });
  expect(text.split('\n')).toEqual([
    'EMAIL              ACCOUNT  DISABLED  CREATED               PASSWORD SET          NAME',
    'Anna@acme.example  acme     no        2026-11-21T08:00:00Z  2026-11-21T08:02:00Z  Anna',
    'b@other.example    other    yes       2026-11-21T08:01:00Z  2026-11-21T08:01:00Z  b@other.example',
  ]);
  expect((json as { owners: unknown[] }).owners[0]).toEqual({
    email,
    id: (await store.owners.findByEmail(email))?.id,
    account: 'acme',
    name: 'Anna',
    disabled: false,
    createdAt: '2026-11-21T08:00:00.345Z',
    passwordSetAt: '2026-11-21T08:02:00.345Z',
  });
  expect(text + JSON.stringify(json)).not.toContain('scrypt');
});

test.each([
  ['anna@acme.exampel', 'refused', 'There is no owner anna@acme.exampel; nearest: Anna@acme.example'],
  ['zzz@zzz.zz', 'refused', 'There is no owner zzz@zzz.zz'],
  ['anna', 'refused', 'The e-mail is "anna": it needs one @'],
])('%s is refused by every command about an owner', async (address, kind, message) => {
  await add();
  for (const result of [await setPassword(address), await switchOwner(store, address, 'disable', now)])
    expect(result).toMatchObject({ kind, text: expect.stringContaining(message) });
});

test('without owners the refusal reports that there is none yet', async () => {
  expect((await switchOwner(store, email, 'enable', now)).text).toBe(`There is no owner ${email}; there is none yet`);
});
