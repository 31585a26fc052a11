/** Text with `{name}` (whom a code is for) and `{hours}`; where a number is in it, one for each plural form that the language has. */
export type Message = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/**
 * All texts of one language. Keys are a type, or a type and a method. Each has alternatives, those that tell most first: the first
 * is taken of which every placeholder is known, so the last has none.
 */
export type Messages<Key extends string = string> = Readonly<Record<Key, readonly Message[]>>;
