import { de } from './de.ts';
import { en, type MessageKey } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import type { Messages } from './message.ts';

/** One catalogue per language of the contract's `locale`. Cursors contain a language's index in this object: add at the end. */
export const catalogues = { en, de, es, fr, ja } as const satisfies Readonly<Record<string, Messages<MessageKey>>>;

export type Language = keyof typeof catalogues;
