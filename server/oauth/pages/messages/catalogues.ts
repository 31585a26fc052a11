import type { Catalogue } from './catalogue.ts';
import { de } from './de.ts';
import { en } from './en.ts';

/** One catalogue per language of the pages. */
export const catalogues = { en, de } as const satisfies Readonly<Record<string, Catalogue>>;

export type Language = keyof typeof catalogues;

export const languages = Object.keys(catalogues) as readonly Language[];

/** Used if no language matches. */
export const defaultLanguage: Language = 'en';
