import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Header, type LedgerLine, openLedger, readLedger, type Write } from './ledger.ts';

// If these fail, a clean-up deletes an object that the run did not create, or leaves one that it did.

const header: Header = { ledger: 1, title: 'T', baseUrl: 'http://a', seed: 1 };

const write = (number: number, kind: Write['kind'], key: string, values: Write['values'], more = {}): Write => ({
  ...{ write: number, kind, operation: `${kind} ${key}`, method: kind === 'create' ? 'post' : 'put' },
  ...{ key, values, account: 'own', sent: {}, ...more },
});
const create = write(1, 'create', '/books', []);
const created: LedgerLine = {
  outcome: 1,
  status: 201,
  created: [{ key: '/books/{}', parents: [], ids: [['id', 7]] }],
};
const remove = (number: number, value: string) => write(number, 'remove', '/books/{}', [value]);

const cases: readonly { name: string; lines: readonly LedgerLine[]; open: readonly number[] }[] = [
  { name: 'a create without an outcome is open', lines: [create], open: [1] },
  { name: 'a create with an answer is open', lines: [create, created], open: [1] },
  { name: 'a rejected create is settled', lines: [create, { outcome: 1, status: 422 }], open: [] },
  { name: 'a create that the server did not receive is settled', lines: [create, { outcome: 1, status: 0 }], open: [] },
  { name: 'a create with a server error is open', lines: [create, { outcome: 1, status: 500 }], open: [1] },
  { name: 'an undone create is settled', lines: [create, created, { undone: 1 }], open: [] },
  {
    name: 'the deletion of a created object settles both, whether its id is a number or a text',
    lines: [create, created, remove(2, '7'), { outcome: 2, status: 204 }],
    open: [],
  },
  {
    name: 'the deletion of a created object settles the creates below it',
    lines: [
      create,
      created,
      write(2, 'create', '/books/{}/reviews', ['7']),
      write(3, 'create', '/books/{}/reviews', ['8']),
      remove(4, '7'),
      { outcome: 4, status: 204 },
    ],
    open: [3],
  },
  {
    name: 'a rejected deletion leaves the create open',
    lines: [create, created, remove(2, '7'), { outcome: 2, status: 409 }],
    open: [1],
  },
  {
    name: 'the deletion of an object of others is open',
    lines: [create, created, remove(2, '8'), { outcome: 2, status: 204 }],
    open: [1, 2],
  },
  {
    name: 'a change to the same values is settled, unless it created the object',
    lines: [
      write(1, 'change', '/books/{}', ['b1'], { before: null }),
      { outcome: 1, status: 200 },
      write(2, 'change', '/books/{}', ['b2'], { before: null }),
      { outcome: 2, status: 201, created: [{ key: '/books/{}', parents: [], ids: [['@sent', 'b2']] }] },
    ],
    open: [2],
  },
];

test.each(cases)('$name', ({ lines, open }) => {
  const ledger = openLedger(undefined, header);
  for (const line of lines) ledger.append(line);
  expect(ledger.entries().map((entry) => entry.write.write)).toEqual(open);
});

test('an object that the run created is its own, with all below it', () => {
  const ledger = openLedger(undefined, header, [create, created]);
  const isOwn = (key: string, ...values: string[]) => ledger.isOwn({ key, values });
  expect([isOwn('/books/{}', '7'), isOwn('/books/{}/cover', '7')]).toEqual([true, true]);
  expect([isOwn('/books/{}', '8'), isOwn('/books'), isOwn('/shelves/{}', '7')]).toEqual([false, false, false]);
});

describe('the file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('appears with the first line, with its folder, and is read as written', async () => {
    const file = join(folder, 'new', 'ledger.ndjson');
    const ledger = openLedger(file, header);
    expect([existsSync(join(folder, 'new')), ledger.file()]).toEqual([false, undefined]);
    ledger.append(create);
    ledger.append(created);
    ledger.close();
    expect(ledger.file()).toBe(file);
    expect(await readLedger(file)).toEqual({ header, lines: [create, created] });
  });

  test('disappears with its new folder when it is removed', () => {
    const ledger = openLedger(join(folder, 'new', 'ledger.ndjson'), header);
    ledger.append(create);
    ledger.remove();
    expect([existsSync(join(folder, 'new')), existsSync(folder), ledger.file()]).toEqual([false, true, undefined]);
  });

  test('is never written over', async () => {
    const file = join(folder, 'ledger.ndjson');
    await writeFile(file, 'mine');
    expect(() => openLedger(file, header).append(create)).toThrow('EEXIST');
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  test('goes on after its earlier lines, with the next number', async () => {
    const file = join(folder, 'ledger.ndjson');
    const before = openLedger(file, header);
    before.append({ ...create, write: before.nextNumber() });
    before.close();
    const { lines } = await readLedger(file);
    const ledger = openLedger(file, header, lines);
    expect(ledger.nextNumber()).toBe(2);
    ledger.append({ undone: 1 });
    ledger.close();
    expect((await readLedger(file)).lines).toEqual([create, { undone: 1 }]);
  });

  test('may have a last line that is not whole, which the next line replaces', async () => {
    const file = join(folder, 'ledger.ndjson');
    await writeFile(file, `${JSON.stringify(header)}\n${JSON.stringify(create)}\n{"write":2,"ki`);
    const { lines } = await readLedger(file);
    expect(lines).toEqual([create]);
    const ledger = openLedger(file, header, lines);
    ledger.append({ undone: 1 });
    ledger.close();
    expect((await readLedger(file)).lines).toEqual([create, { undone: 1 }]);
  });

  test.each([
    { name: 'a file that does not exist', text: undefined, message: /ledger\.ndjson cannot be read: ENOENT/ },
    {
      name: 'another file',
      text: '{"a":1}\n',
      message: /ledger\.ndjson is no ledger: expected the file that a run names/,
    },
    {
      name: 'a damaged line',
      text: `${JSON.stringify(header)}\n{"write"\n`,
      message: /ledger\.ndjson:2 is no line of a ledger: expected a write, an outcome or an undone write/,
    },
  ])('is refused if it is $name', async ({ text, message }) => {
    const file = join(folder, 'ledger.ndjson');
    if (text !== undefined) await writeFile(file, text);
    await expect(readLedger(file)).rejects.toThrow(message);
  });
});
