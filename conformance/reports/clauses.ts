import type { Check } from '../checks/check.ts';
import { checks } from '../checks/checks.ts';
import type { Finding } from '../failures/finding.ts';

/** Addresses of the documents that clauses name: the text before the number, and the address of a number. */
const documents: readonly (readonly [RegExp, (match: readonly string[]) => string])[] = [
  [/^RFC (\d+) (\d+(?:\.\d+)*)/, ([, rfc, section]) => `https://www.rfc-editor.org/rfc/rfc${rfc}#section-${section}`],
  [/^RFC (\d+)/, ([, rfc]) => `https://www.rfc-editor.org/rfc/rfc${rfc}`],
  [
    /^JSON Schema 2020-12, validation, ([\d.]+)/,
    ([, section]) => `https://json-schema.org/draft/2020-12/json-schema-validation#section-${section}`,
  ],
  [
    /^JSON Schema 2020-12, core, ([\d.]+)/,
    ([, section]) => `https://json-schema.org/draft/2020-12/json-schema-core#section-${section}`,
  ],
  [
    /^JSON Schema, draft-wright-json-schema-validation-00, ([\d.]+)/,
    ([, section]) => `https://datatracker.ietf.org/doc/html/draft-wright-json-schema-validation-00#section-${section}`,
  ],
  [
    /^OpenAPI, ([A-Z][\w ]* Object)/,
    ([, object = '']) => `https://spec.openapis.org/oas/v3.1.1.html#${object.toLowerCase().replaceAll(' ', '-')}`,
  ],
  [/^CWE-(\d+)/, ([, number]) => `https://cwe.mitre.org/data/definitions/${number}.html`],
];

/** The address of a clause in its document; undefined for a clause of the contract. */
export function addressOfClause(clause: string): string | undefined {
  for (const [pattern, address] of documents) {
    const match = pattern.exec(clause);
    if (match !== null) return address(match);
  }
  return undefined;
}

/** The general texts about the requirement that a finding breaks. */
export type Explanation = Pick<Check, 'about' | 'effect' | 'fix' | 'allow'>;

const byName = new Map(checks.map((check) => [check.name, check]));

/** The texts of the law that a finding names, otherwise those of its check. */
export function explainFinding({ check, keyword }: Pick<Finding, 'check' | 'keyword'>): Explanation | undefined {
  const found = byName.get(check);
  if (found === undefined) return undefined;
  const { about, effect, fix, allow } = found;
  const law = found.laws !== undefined && Object.hasOwn(found.laws, keyword) ? found.laws[keyword] : undefined;
  return { effect, ...(law ?? { about, fix }), allow: law?.allow ?? allow };
}
