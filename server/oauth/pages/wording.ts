import type { EpochMilliseconds } from '../../clock.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import type { Catalogue, Placeholders, TextKey } from './messages/catalogue.ts';
import { catalogues, type Language } from './messages/catalogues.ts';
import type { en } from './messages/en.ts';
import { isContractScope, type ScopeGroup } from './scope-groups.ts';

type Values<Key extends TextKey> = Readonly<Record<Placeholders<(typeof en.texts)[Key]>, HtmlValue>>;

/** Formats the texts of the pages in one language. */
export interface Wording {
  readonly language: Language;
  /** A text of the catalogue. A placeholder without its value does not compile. */
  say<Key extends TextKey>(
    key: Key,
    ...values: Placeholders<(typeof en.texts)[Key]> extends never ? [] : [Values<Key>]
  ): Html;
  group(group: ScopeGroup): { readonly name: string; readonly stake: string };
  /** The description of a scope; an unknown scope by its name. */
  scope(scope: string): Html;
  /** The day in UTC, with the month in letters, since 04/05 is ambiguous. */
  date(at: EpochMilliseconds): Html;
  days(count: number): string;
  /** A time to wait, rounded up. */
  wait(seconds: number): string;
}

const wordings = new Map<Language, Wording>();

export function wordingOf(language: Language): Wording {
  const wording = wordings.get(language) ?? createWording(language);
  wordings.set(language, wording);
  return wording;
}

function createWording(language: Language): Wording {
  const { texts, groups, scopes }: Catalogue = catalogues[language];
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const units = (unit: 'day' | 'minute' | 'second') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  const formats = { day: units('day'), minute: units('minute'), second: units('second') };
  return {
    language,
    say: (key, ...[values]) => fill(texts[key], values ?? {}),
    group(group) {
      const [name, stake] = groups[group];
      return { name, stake };
    },
    scope: (scope) => (isContractScope(scope) ? markUp(scopes[scope]) : html`<code>${scope}</code>`),
    date: (at) => html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${day.format(at)}</time>`,
    days: (count) => formats.day.format(count),
    wait(seconds) {
      const whole = Math.max(1, Math.ceil(seconds));
      return whole < 120 ? formats.second.format(whole) : formats.minute.format(Math.ceil(whole / 60));
    },
  };
}

/** Fills all placeholders in one pass, so that braces in a value are never read as a placeholder. */
function fill(text: string, values: Readonly<Record<string, HtmlValue>>): Html {
  return html`${text.split(/\{(.*?)\}/).map((part, index) => (index % 2 === 0 ? part : values[part]))}`;
}

/** Descriptions in the contract are CommonMark, of which they use code alone. Remarks for developers are muted. */
function markUp(description: string): Html {
  const [, text = '', remark = ''] = /^(.*?)((?:;| \().*)?$/s.exec(description) ?? [];
  const markCode = (part: string) =>
    part.split('`').map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`));
  return html`${markCode(text)}${remark !== '' && html`<span class="muted">${markCode(remark)}</span>`}`;
}
