import Negotiator from 'negotiator';
import { defaultLanguage, type Language, languages } from './messages/catalogues.ts';

export interface LanguageWishes {
  /** OpenID Connect Core, 3.1.2.1: BCP 47 tags, the most wanted first, apart by spaces. */
  readonly uiLocales?: string | undefined;
  /** The header, with its weights (RFC 9110, 12.5.4). */
  readonly acceptLanguage?: string | undefined;
}

/** The language of a page: what the application asks for, else what the browser asks for, else English. Never fails. */
export function chooseLanguage({ uiLocales = '', acceptLanguage = '' }: LanguageWishes): Language {
  // Each tag by itself, since their order alone counts; nothing in one can be a header's syntax.
  const tags = uiLocales.split(' ').filter((tag) => /^[A-Za-z]+(-[A-Za-z0-9]+)*$/.test(tag));
  for (const wish of [...tags, acceptLanguage]) {
    const [found] = new Negotiator({ headers: { 'accept-language': wish } }).languages([...languages]);
    if (found !== undefined) return found as Language;
  }
  return defaultLanguage;
}
