import type { ContractScope, ScopeGroup } from '../scope-groups.ts';
import type { en } from './en.ts';

export type TextKey = keyof typeof en.texts;

/** The placeholders of a text: the names in braces. */
export type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** Keys of texts without placeholders. */
export type PlainKey = { [Key in TextKey]: Placeholders<(typeof en.texts)[Key]> extends never ? Key : never }[TextKey];

/** All texts of one language. A missing text does not compile. */
export interface Catalogue {
  readonly texts: Readonly<Record<TextKey, string>>;
  /** The name of a group, and in plain words the risk of its scopes. */
  readonly groups: Readonly<Record<ScopeGroup, readonly [name: string, stake: string]>>;
  readonly scopes: Readonly<Record<ContractScope, string>>;
}
