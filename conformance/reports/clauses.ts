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

/** Texts for checks that report several failures: the pattern is of keyword and clause. */
const cases: readonly (readonly [check: string, when: RegExp, texts: Partial<Explanation>])[] = [
  [
    'header-schema',
    /^required /,
    {
      about: 'a required response header is missing',
      allow: 'Remove required: true from the header.',
    },
  ],
  [
    'header-schema',
    /^(?!required )/,
    {
      about: 'a response header has a value that breaks its schema',
      fix: 'Send a value that the schema of the header allows.',
      allow: 'Change the schema of the header.',
    },
  ],
  [
    'conditional',
    /^same-tag /,
    {
      about: 'an object changes, and its ETag does not',
      fix: 'Derive the tag from the stored object or its version.',
    },
  ],
  [
    'conditional',
    /^stale-304 /,
    {
      about: 'the server answers 304 to the tag of an earlier representation',
      fix: 'Compare If-None-Match with the present tag of the object alone.',
    },
  ],
  [
    'conditional',
    /^lost-update /,
    {
      about: 'the server carries out a write whose If-Match has the tag of an earlier representation',
      effect: 'A client overwrites the changes of others that If-Match should protect.',
      fix: 'Compare If-Match with the present tag of the object before each write, and answer 412 if it differs.',
    },
  ],
  [
    'tenant-leak',
    /response 404$/,
    {
      about: 'an object is reached beneath a parent that does not exist',
      fix: 'Search each object within its parent.',
    },
  ],
  [
    'tenant-leak',
    /API1/,
    {
      about: 'an account reads, creates, changes or deletes what belongs to another one',
      fix: 'Search each object within the account of the caller, and answer as for an unknown id.',
    },
  ],
  [
    'patch-spills',
    /^null /,
    {
      about: 'a merge patch removes a property by null, and the object keeps it',
      fix: 'Remove the properties that are null in a merge patch.',
    },
  ],
  [
    'patch-spills',
    /^unsent /,
    {
      about: 'a PATCH changes a property that it does not name',
      fix: 'Change only the properties of the request.',
    },
  ],
];

/** The texts of the law or the case that a finding shows, otherwise those of its check. */
export function explainFinding({
  check,
  keyword,
  clause,
}: Pick<Finding, 'check' | 'keyword' | 'clause'>): Explanation | undefined {
  const found = byName.get(check);
  if (found === undefined) return undefined;
  const { about, effect, fix, allow } = found;
  const law = found.laws !== undefined && Object.hasOwn(found.laws, keyword) ? found.laws[keyword] : undefined;
  const [, , texts] = cases.find(([name, when]) => name === check && when.test(`${keyword} ${clause}`)) ?? [];
  return { effect, ...(law ?? { about, fix }), allow: law?.allow ?? allow, ...texts };
}

/** Whether a text about the contract proposes a change of it: some only state that none helps, or propose another server. */
export function isContractChange(allow: string): boolean {
  return !/^(None|Send|Use)\b/.test(allow);
}
