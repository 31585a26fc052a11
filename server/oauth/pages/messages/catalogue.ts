import type { ContractScope, ScopeGroup } from '../scope-groups.ts';
import type { en } from './en.ts';

export type TextKey = keyof typeof en.texts;

/** The names in braces of one text: what has to be given to say it. */
export type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** Texts that are said as they stand. */
export type PlainKey = { [Key in TextKey]: Placeholders<(typeof en.texts)[Key]> extends never ? Key : never }[TextKey];

/** All texts of one language. One that is missing does not compile. */
export interface Catalogue {
  readonly texts: Readonly<Record<TextKey, string>>;
  /** A name, and in plain words what is at stake, whichever of the group is asked for. */
  readonly groups: Readonly<Record<ScopeGroup, readonly [name: string, stake: string]>>;
  readonly scopes: Readonly<Record<ContractScope, string>>;
}
