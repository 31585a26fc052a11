import Negotiator from 'negotiator';
import { defaultLanguage, type Language, languages } from './messages/catalogues.ts';

export interface LanguageWishes {
  /** OpenID Connect Core, 3.1.2.1: BCP 47 tags in order of preference, separated by spaces. */
  readonly uiLocales?: string | undefined;
  /** The header, with its weights (RFC 9110, 12.5.4). */
  readonly acceptLanguage?: string | undefined;
}

/** The language of a page: by the application's preference, then the browser's, then English. Never fails. */
export function chooseLanguage({ uiLocales = '', acceptLanguage = '' }: LanguageWishes): Language {
  // Each tag is negotiated by itself, since only their order counts; the pattern excludes header syntax.
  const tags = uiLocales.split(' ').filter((tag) => /^[A-Za-z]+(-[A-Za-z0-9]+)*$/.test(tag));
  for (const wish of [...tags, acceptLanguage]) {
    const [found] = new Negotiator({ headers: { 'accept-language': wish } }).languages([...languages]);
    if (found !== undefined) return found as Language;
  }
  return defaultLanguage;
}
