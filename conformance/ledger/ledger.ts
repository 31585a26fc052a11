// The ledger: a file with one JSON value a line, which records each write before the request leaves, and the outcome once it is known.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, parseJson } from '../contract/document.ts';
import { messageOf } from '../contract/printable.ts';
import { addressKey } from '../resources/addresses.ts';
import type { Scalar } from '../resources/read-items.ts';
import { slotsOf } from '../resources/slots.ts';
import { startsWith } from '../resources/trials.ts';

/** The first line. */
export interface Header {
  readonly ledger: 1;
  readonly title: string;
  readonly baseUrl: string;
  /** The run's tag follows from it. */
  readonly seed: number;
}

/** An object by its path in the contract without names, `/books/{}`, and the values of the parameters, outer first. */
export interface Address {
  readonly key: string;
  readonly values: readonly Scalar[];
}

export type WriteKind = 'create' | 'change' | 'remove' | 'action';

/** A write, recorded before its request leaves. */
export interface Write extends Address {
  /** 1-based. */
  readonly write: number;
  readonly kind: WriteKind;
  /** Id in the contract. */
  readonly operation: string;
  readonly method: string;
  /** The account that may undo it. */
  readonly account: 'own' | 'second';
  /** Scalars of the body by dotted path, without secrets. */
  readonly sent: Readonly<Record<string, Scalar>>;
  /** For a create: its collection before the run wrote to it. */
  readonly listed?: Listing | undefined;
  /** For a change of an object of others: the sent members with their previous values; null if they are the sent ones. */
  readonly before?: unknown;
}

/** A list as the run read it. */
export interface Listing {
  readonly query: Readonly<Record<string, unknown>>;
  readonly ids: readonly string[];
}

/** An object that a write created. */
export interface Created {
  readonly key: string;
  readonly parents: readonly Scalar[];
  /** Members that may be its id in the path, the likeliest first. */
  readonly ids: readonly (readonly [member: string, value: Scalar])[];
}

/** The outcome of a write. A write without this line may have been carried out. */
export interface Outcome {
  readonly outcome: number;
  /** 0: the request was not received. */
  readonly status: number;
  readonly created?: readonly Created[] | undefined;
}

interface Undone {
  readonly undone: number;
}

export type LedgerLine = Write | Outcome | Undone;

/** A write that may have an effect which is not undone. */
export interface Entry {
  readonly write: Write;
  /** Undefined if it is unknown whether the write was carried out. */
  readonly outcome: Outcome | undefined;
}

export interface Ledger {
  readonly append: (line: LedgerLine) => void;
  readonly nextNumber: () => number;
  /** Whether the run created the object at an address, or one above it. */
  readonly isOwn: (address: Address) => boolean;
  /** Members of answers that have the id of an object that the run created. */
  readonly idMembersOf: (address: Address) => readonly string[];
  /** In the order of the writes. */
  readonly entries: () => readonly Entry[];
  /** The file, once it has a line. */
  readonly file: () => string | undefined;
  readonly close: () => void;
  /** Closes and deletes the file. */
  readonly remove: () => void;
}

/**
 * Opens a ledger. The file appears with its first line. Each line is one `write(2)` of 1 to 4 µs. It survives the end of the process, but
 * not a loss of power: with `fdatasync` a line took 0.6 to 3.5 ms.
 *
 * @param file undefined: the ledger exists only in memory
 * @param earlier lines that the file already has
 */
export function openLedger(file: string | undefined, header: Header, earlier: readonly LedgerLine[] = []): Ledger {
  const open = createEntries();
  let last = 0;
  let descriptor: number | undefined;
  let hasFile = earlier.length > 0;
  let isFolderNew = false;
  for (const line of earlier) open.apply(line);
  for (const line of earlier) if ('write' in line) last = Math.max(last, line.write);

  const print = (line: LedgerLine): void => {
    if (file === undefined) return;
    if (descriptor === undefined) {
      isFolderNew = mkdirSync(dirname(file), { recursive: true }) !== undefined;
      // A line that is not whole would be joined to the next one.
      if (hasFile) truncateSync(file, readFileSync(file).lastIndexOf('\n') + 1);
      descriptor = openSync(file, hasFile ? 'a' : 'ax', 0o600);
      if (!hasFile) writeSync(descriptor, `${JSON.stringify(header)}\n`);
      hasFile = true;
    }
    writeSync(descriptor, `${JSON.stringify(line)}\n`);
  };
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };

  return {
    append: (line) => {
      print(line);
      open.apply(line);
    },
    nextNumber: () => {
      last += 1;
      return last;
    },
    isOwn: open.isOwn,
    idMembersOf: open.idMembersOf,
    entries: open.all,
    file: () => (hasFile ? file : undefined),
    close,
    remove: () => {
      close();
      if (file === undefined || !hasFile) return;
      rmSync(file, { force: true });
      if (isFolderNew && readdirSync(dirname(file)).length === 0) rmdirSync(dirname(file));
      hasFile = false;
    },
  };
}

/** The open entries. A line adds an entry, or settles some. */
function createEntries() {
  const entries = new Map<number, Entry>();
  /** Creates by the addresses of their objects. */
  const creates = new Map<string, Set<number>>();
  const createsAt = (address: Address): ReadonlySet<number> => creates.get(nameOf(address)) ?? new Set();

  const settle = (number: number): void => {
    for (const address of (entries.get(number)?.outcome?.created ?? []).flatMap(addressesOf)) {
      creates.get(nameOf(address))?.delete(number);
    }
    entries.delete(number);
  };
  const complete = (entry: Entry, outcome: Outcome): void => {
    entries.set(outcome.outcome, { ...entry, outcome });
    for (const address of (outcome.created ?? []).flatMap(addressesOf)) {
      const name = nameOf(address);
      creates.set(name, (creates.get(name) ?? new Set()).add(outcome.outcome));
    }
  };
  /** Settles the creates of an object and those below it. @returns whether the run created it */
  const settleObject = (address: Address): boolean => {
    const own = [...createsAt(address)];
    if (own.length === 0) return false;
    const below = [...entries.values()].filter(({ write }) => isBeneath(write, address));
    for (const number of [...own, ...below.map(({ write }) => write.write)]) settle(number);
    return true;
  };

  return {
    all: (): readonly Entry[] => [...entries.values()],
    isOwn: ({ key, values }: Address): boolean =>
      slotsOf(key).some((slot, index) => createsAt({ key: slot.key, values: values.slice(0, index + 1) }).size > 0),
    idMembersOf: (address: Address): readonly string[] =>
      [...createsAt(address)].flatMap((number) =>
        (entries.get(number)?.outcome?.created ?? []).flatMap(({ ids }) =>
          ids
            .filter(([, value]) => String(value) === String(address.values.at(-1)))
            .map(([member]) => member.replace('@given.', '')),
        ),
      ),
    apply: (line: LedgerLine): void => {
      if ('write' in line) {
        entries.set(line.write, { write: line, outcome: undefined });
        return;
      }
      if ('undone' in line) {
        settle(line.undone);
        return;
      }
      const entry = entries.get(line.outcome);
      // After a 5xx it is unknown whether the request had an effect.
      if (entry === undefined || line.status >= 500) return;
      const { write } = entry;
      // A request that was rejected or not received had no effect, and a change to the same values has none.
      const isRejected = line.status < 200 || line.status >= 300 || write.before === null;
      const isWithoutEffect = line.created === undefined && isRejected;
      if (isWithoutEffect || (write.kind === 'remove' && settleObject(write))) settle(line.outcome);
      else complete(entry, line);
    },
  };
}

/** A text that is equal for equal addresses. */
export function nameOf({ key, values }: Address): string {
  return `${key} ${addressKey(values)}`;
}

/** The addresses that an object may have. */
export function addressesOf({ key, parents, ids }: Created): readonly Address[] {
  return ids.map(([, value]) => ({ key, values: [...parents, value] }));
}

/** Whether an address is below another one. */
export function isBeneath(address: Address, above: Address): boolean {
  return address.key.startsWith(`${above.key}/`) && startsWith(address.values, above.values);
}

/** A ledger that cannot be read. */
export class LedgerError extends Error {}

/**
 * Reads a ledger. A last line that is not whole is ignored: the process was killed while it wrote the line, so it sent no request.
 *
 * @throws LedgerError if the file cannot be read or is no ledger
 */
export async function readLedger(
  file: string,
): Promise<{ readonly header: Header; readonly lines: readonly LedgerLine[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new LedgerError(`${file} cannot be read: ${messageOf(error)}.`);
  }
  const values = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map(parseJson);
  const [header, ...lines] = values;
  if (!isObject(header) || header.ledger !== 1) {
    const expected = 'expected the file that a run names, with {"ledger":1,…} in its first line';
    throw new LedgerError(`${file} is no ledger: ${expected}.`);
  }
  const wrong = lines.findIndex(
    (line) => !isObject(line) || !['write', 'outcome', 'undone'].some((name) => name in line),
  );
  if (wrong >= 0)
    throw new LedgerError(
      `${file}:${wrong + 2} is no line of a ledger: expected a write, an outcome or an undone write.`,
    );
  return { header: header as unknown as Header, lines: lines as unknown as LedgerLine[] };
}
