import { distance } from 'fastest-levenshtein';
import type { Check, LawDescription } from '../checks/check.ts';
import { checks } from '../checks/checks.ts';
import { printable, printableJson } from '../contract/printable.ts';
import { usageError } from './commands.ts';
import type { Streams } from './watch-run.ts';

/** The texts about a check, or about one law of a check: `body-schema`, `http-law/405-allow`. */
interface Explained extends Pick<Check, 'name' | 'about' | 'effect' | 'clauses' | 'example' | 'fix' | 'allow'> {
  readonly silence: string;
  /** Names of the laws of a check. */
  readonly laws?: readonly string[];
}

const explanations: readonly Explained[] = checks.flatMap((check) => [
  explainCheck(check),
  ...Object.entries(check.laws ?? {}).map(([law, own]) => explainLaw(check, law, own)),
]);

function explainCheck({ name, about, effect, clauses, example, fix, allow, laws }: Check): Explained {
  const silence = `Accept single findings under \`known\` in the config file, or give --check the names of all checks but ${name}.`;
  return { name, about, effect, clauses, example, fix, allow, silence, ...(laws && { laws: Object.keys(laws) }) };
}

function explainLaw(check: Check, law: string, { clause, ...ownTexts }: LawDescription): Explained {
  const { laws: _, ...general } = explainCheck(check);
  return { ...general, ...ownTexts, name: `${check.name}/${law}`, clauses: [clause] };
}

/**
 * Prints the explanation of one check or law, or without a name lists all.
 *
 * @returns the exit code
 */
export function explainCommand(name: string | undefined, isJson: boolean, { out, error }: Streams): number {
  const print = (value: unknown, text: string): number => {
    out.write(`${isJson ? printableJson(value, 2) : text}\n`);
    return 0;
  };
  if (name === undefined) return print(explanations, listAll());
  const found = explanations.find((one) => [one.name, shortName(one.name)].includes(name));
  if (found !== undefined) return print(found, formatExplanation(found));
  error.write(`${printable(describeUnknown(name))}\n`);
  return usageError;
}

/** A law without its check. */
function shortName(name: string): string {
  return name.split('/').at(-1) ?? name;
}

function describeUnknown(name: string): string {
  if (/^[0-9a-f]{8}$/.test(name))
    return `${name} is the id of a finding: replay ${name} sends its requests again. explain needs the check, the first word of the finding.`;
  const short = shortName(name);
  const nearest = explanations
    .map((one) => shortName(one.name))
    .filter((one) => one.includes(short) || distance(short, one) <= short.length / 2)
    .sort((a, b) => distance(short, a) - distance(short, b))
    .slice(0, 3);
  const hint = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(', ')}?`;
  return `No check is called ${name}.${hint} Without a name, explain lists all.`;
}

function formatExplanation({
  name,
  about,
  effect,
  clauses,
  example,
  fix,
  allow,
  silence,
  laws = [],
}: Explained): string {
  return [
    `${name}: ${about}`,
    `  effect    ${effect}`,
    `  clause    ${clauses.join('; ')}`,
    `  example   ${example.sent}: ${example.answered}`,
    `  fix       ${fix}`,
    `  allow     ${allow}`,
    `  silence   ${silence}`,
    ...(laws.length === 0 ? [] : [`  laws      ${laws.join(', ')}`]),
  ].join('\n');
}

function listAll(): string {
  const width = Math.max(...explanations.map(({ name }) => name.length));
  return explanations.map(({ name, about }) => `${name.padEnd(width)}  ${about}`).join('\n');
}
