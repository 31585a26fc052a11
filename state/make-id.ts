import { samplePatterns } from '@lockstep/values/pattern';
import type { Random } from '@lockstep/values/random';
import type { SchemaNode } from '@lockstep/values/shape';
import type { SchemaReader } from './read-schemas.ts';
import { readIds } from './template.ts';

const letters = {
  digit: '0123456789',
  lower: 'abcdefghijklmnopqrstuvwxyz',
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
} as const;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Attempts for each way to make an id that no other item has. */
const mostTries = 8;

interface Wanted {
  /** Schema of the member of the item; the parameter's, if the item does not show its id. */
  readonly member: SchemaNode;
  /** Schemas of the path parameter, those of the item's own paths first. */
  readonly parameters: readonly SchemaNode[];
  /** An id of the contract. */
  readonly example: unknown;
  /** Number of the next item, from 1. */
  readonly count: number;
  readonly isTaken: (id: string) => boolean;
}

/**
 * Makes the id of a new item: the next number, a UUID, or a text as the pattern or the example of its schema shows it, `cus_…`.
 *
 * @returns undefined if every id that its schemas allow belongs to an item
 */
export function makeId(reader: SchemaReader, random: Random, wanted: Wanted): string | number | undefined {
  const { member, parameters, isTaken } = wanted;
  const isFree = (id: string | number): boolean => !isTaken(String(id)) && reader.accepts(id, member);
  const fits = (id: string | number) => (node: SchemaNode) => readIds(id).some((value) => reader.accepts(value, node));
  for (const id of candidates(reader, random, wanted)) if (isFree(id) && parameters.every(fits(id))) return id;
  // Two operations may declare the parameter so that no id fits both.
  for (const node of parameters)
    for (const id of candidates(reader, random, { ...wanted, parameters: [node] }))
      if (isFree(id) && fits(id)(node)) return id;
  // No text has the format `uuid` and 64 characters: answers leave out such a member.
  const [parameter] = parameters;
  if (parameter === undefined || [...candidates(reader, random, wanted)].some((id) => reader.accepts(id, member)))
    return undefined;
  for (const id of candidates(reader, random, { ...wanted, member: parameter, example: undefined }))
    if (!isTaken(String(id)) && parameters.some(fits(id))) return id;
  return undefined;
}

function* candidates(reader: SchemaReader, random: Random, { member, example, count, parameters }: Wanted) {
  const shape = reader.form.branch(member);
  const given = example ?? shape.examples[0];
  const isNumber = reader.isOnly(member, 'number') || (typeof given === 'number' && shape.types.has('number'));
  if (isNumber) {
    const first = Math.max(1, Number.isFinite(shape.minimum) ? Math.ceil(shape.minimum) : 1);
    const step = shape.multipleOf ?? 1;
    for (let turn = 0; turn < 1_000; turn += 1) yield (Math.ceil(first / step) + count - 1 + turn) * step;
    for (let number = first; number < first + 1_000; number += 1) yield number * step;
  }
  const formats = [member, ...parameters].map((node) => reader.form.branch(node).format);
  const isUuid = formats.some((format) => format === 'uuid' || format === 'guid');
  if (isUuid || (typeof given === 'string' && uuidPattern.test(given)))
    for (let turn = 0; turn < mostTries; turn += 1) {
      const id = makeUuid(random);
      yield id;
      // A pattern may allow capitals only.
      yield id.toUpperCase();
    }
  const patterns = [member, ...parameters].flatMap((node) => [...reader.form.branch(node).patterns]);
  if (typeof given === 'string' && !uuidPattern.test(given))
    for (let turn = 0; turn < mostTries; turn += 1) yield reshape(given, count + turn, random);
  if (patterns.length > 0) {
    const max = Number.isFinite(shape.maxLength) ? shape.maxLength : 64;
    for (let turn = 0; turn < 200; turn += 1) {
      const text = samplePatterns(patterns, { min: shape.minLength, max }, turn === 0 ? count : random(1_000_000), '');
      if (text !== undefined) yield text;
    }
  }
  if (parameters.some((node) => reader.isOnly(node, 'number')))
    for (let turn = 0; turn < 1_000; turn += 1) yield String(count + turn);
  for (let turn = 0; turn < mostTries; turn += 1) yield makeUuid(random);
  const max = Math.min(24, Number.isFinite(shape.maxLength) ? shape.maxLength : 24);
  for (let turn = 0; turn < mostTries; turn += 1) yield textOf(letters.lower, Math.max(shape.minLength, max), random);
  for (let turn = 0; turn < mostTries; turn += 1) yield textOf(letters.digit, Math.max(shape.minLength, max), random);
  for (let turn = 0; turn < 100; turn += 1) {
    const made = reader.make(member, turn + 1);
    if (typeof made === 'string' || typeof made === 'number') yield made;
  }
}

function makeUuid(random: Random): string {
  const hex = textOf(letters.hex, 30, random);
  const variant = '89ab'.charAt(random(4));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18)}`;
}

/** Another text of the same kind: `cus_9s6XKzkNRiz8i3` keeps its prefix, `ex-0007` becomes `ex-0012`, and `17` the next number. */
function reshape(example: string, count: number, random: Random): string {
  if (/^\d+$/.test(example))
    return example.startsWith('0') ? String(count).padStart(example.length, '0') : String(Number(example) + count);
  const [, prefix = '', rest = ''] = /^([a-z]+[_-])?(.*)$/i.exec(example) ?? [];
  const isHex = /^[0-9a-f]+$/.test(rest) && /\d/.test(rest);
  const hasDigits = /\d/.test(rest);
  // A word is a name that somebody chose: it gets a number.
  if (!hasDigits && rest.length < 16) return `${example}-${count}`;
  const changed = [...rest].map((character) => {
    if (isHex) return letters.hex.charAt(random(16));
    if (/\d/.test(character)) return letters.digit.charAt(random(10));
    if (/[a-z]/.test(character)) return letters.lower.charAt(random(26));
    return /[A-Z]/.test(character) ? letters.upper.charAt(random(26)) : character;
  });
  return `${prefix}${changed.join('')}`;
}

function textOf(alphabet: string, length: number, random: Random): string {
  return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join('');
}
