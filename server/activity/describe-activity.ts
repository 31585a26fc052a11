import type { Activity } from '../store/activity/activity-store.ts';
import { catalogues, type Language } from './messages/catalogues.ts';
import type { Message, Messages } from './messages/message.ts';

/** Bound of the contract's `description`, in code points. */
const longestDescription = 200;

const placeholder = /\{(name|hours)\}/g;

type Known = Readonly<Record<'name' | 'hours', string | undefined>>;

const plurals = new Map<Language, Intl.PluralRules>();

export interface ActivityDetails {
  /** How long a passage code keeps the lock open. */
  readonly hours?: number;
}

/** One sentence about an entry, 1 to 200 characters: a long name is cut to fit. A type without a text reads as `OTHER`. */
export function describeActivity(
  { type, method, accessName, details }: Pick<Activity, 'type' | 'method' | 'accessName' | 'details'>,
  language: Language,
): string {
  const catalogue: Messages = catalogues[language];
  const { hours }: ActivityDetails = JSON.parse(details);
  const key = [`${type}.${method}`, type, 'OTHER'].find((name) => Object.hasOwn(catalogue, name)) ?? 'OTHER';
  const known: Known = { name: accessName ?? undefined, hours: hours === undefined ? undefined : String(hours) };
  for (const message of catalogue[key] ?? []) {
    const text = pickForm(message, hours ?? 0, language);
    const isKnown = [...text.matchAll(placeholder)].every(([, name]) => known[name as keyof Known] !== undefined);
    if (isKnown) return fill(text, known);
  }
  throw new Error(`the catalogue ${language} has no text of ${key} without placeholders`);
}

function pickForm(message: Message, count: number, language: Language): string {
  if (typeof message === 'string') return message;
  const rules = plurals.get(language) ?? new Intl.PluralRules(language);
  plurals.set(language, rules);
  return message[rules.select(count)] ?? message.other;
}

/** Fills all placeholders in one pass, so that braces in a name are never read as a placeholder. */
function fill(text: string, { name = '', hours = '' }: Known): string {
  const room = longestDescription - [...text.replace(placeholder, '')].length - hours.length;
  const values = { name: shorten(name, room), hours };
  return text.replace(placeholder, (_, key: keyof Known) => values[key]);
}

function shorten(text: string, longest: number): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}
