/** Text with the placeholders `{name}` (the person a code is for) and `{hours}`; a text with a number has one per plural form of the language. */
export type Message = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/**
 * All texts of one language. A key is a type, or a type and a method. Its alternatives begin with the most detailed one. The first whose
 * placeholders are all known is used, so the last alternative has none.
 */
export type Messages<Key extends string = string> = Readonly<Record<Key, readonly Message[]>>;
