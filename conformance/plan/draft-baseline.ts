import type { MediaContent, Operation, Parameter } from '../contract/contract.ts';
import { canonical, isObject, memberOf } from '../contract/json.ts';
import { followRecipe } from '../data/apply-rules.ts';
import type { Draft } from '../data/draft.ts';
import { findIds } from '../data/find-ids.ts';
import { followLinks } from '../data/follow-links.ts';
import { atOrBefore, type LazyList } from '../data/lazy-list.ts';
import { type Known, readRecords } from '../data/records.ts';
import { type Candidate, chooseContent, type DataTools, valueLadder } from '../data/value-ladder.ts';

/** The ladder of one operation in two directions: which object it is about, and what is sent. */
export interface Ladder {
  readonly targets: readonly Target[];
  /** Whether something is sent differently there. */
  readonly hasRung: (rung: number) => boolean;
  readonly draft: (target: Target, rung: number) => Draft | undefined;
}

/** Values for the parameters that say what the call is about. */
export interface Target {
  readonly label: 'linked' | 'recorded' | 'example';
  readonly values: Readonly<Record<string, unknown>>;
  readonly owned: boolean;
}

/** How many objects are tried before an operation counts as out of reach. */
const mostTargets = 6;

export function draftBaseline(tools: DataTools, operation: Operation, known: readonly Known[]): Ladder {
  const content = chooseContent(operation);
  const bodies = lazyBodies(tools, content);
  const needed = operation.parameters.filter(({ required }) => required);
  const ladders = new Map(
    needed.map((parameter) => [parameter, valueLadder(tools, parameter.schema, parameter.examples)]),
  );
  return {
    targets: findTargets(operation, known),
    hasRung: (rung) => [bodies, ...ladders.values()].some((ladder) => ladder.at(rung) !== undefined),
    draft: (target, rung) => {
      const values: Record<string, unknown> = {};
      for (const parameter of needed) {
        const value = chooseValue(tools, parameter, target, ladders.get(parameter), rung, values);
        if (value === undefined) return undefined;
        values[parameter.name] = value;
      }
      const parameters = needed.map((parameter) => ({ parameter, value: values[parameter.name] }));
      const body = atOrBefore(bodies, rung);
      if (body === undefined && operation.body?.required === true) return undefined;
      const about = operation.path.includes('{') ? target.label : undefined;
      const label = [about, body?.label].filter((part) => part !== undefined).join(', ') || 'plain';
      return { operation, parameters, body: content && body ? { content, value: body.value } : undefined, label };
    },
  };
}

function lazyBodies(tools: DataTools, content: MediaContent | undefined): LazyList<Candidate> {
  return content === undefined ? { at: () => undefined } : valueLadder(tools, content.schema, content.examples);
}

/** Why no request could be built. */
export function explainGap({ body }: Operation): string {
  const types = body?.contents.map(({ mediaType }) => mediaType).join(', ');
  return types === undefined
    ? 'no valid value was found for a required parameter'
    : `no valid body could be built (${types})`;
}

function findTargets(operation: Operation, known: readonly Known[]): Target[] {
  const linked = followLinks(operation, known)
    .filter((values) => operation.parameters.some(({ name, required }) => required && name in values))
    .map((values): Target => ({ label: 'linked', values, owned: isOwned(values, known) }));
  const recorded = findIds(operation, readRecords(known)).map(
    ({ values, owned }): Target => ({ label: 'recorded', values, owned }),
  );
  const seen = new Set<string>();
  const distinct = [...linked, ...recorded].filter(({ values }) => {
    const key = canonical(values);
    return !seen.has(key) && seen.add(key);
  });
  const example: Target = { label: 'example', values: {}, owned: false };
  return [...distinct.filter(({ owned }) => owned), ...distinct.filter(({ owned }) => !owned)]
    .slice(0, mostTargets)
    .concat(example);
}

/** A linked id is owned when a POST of this run answered with it. */
function isOwned(values: Readonly<Record<string, unknown>>, known: readonly Known[]): boolean {
  const made = readRecords(known).filter(({ owned }) => owned);
  return Object.values(values).every((value) => made.some((record) => Object.values(record.value).includes(value)));
}

function chooseValue(
  tools: DataTools,
  parameter: Parameter,
  target: Target,
  ladder: LazyList<Candidate> | undefined,
  rung: number,
  chosen: Readonly<Record<string, unknown>>,
): unknown {
  const drawn = memberOf(target.values, parameter.name);
  const isValid = (value: unknown): boolean =>
    parameter.schema === undefined || tools.judge.judge(parameter.schema, 'request', value).length === 0;
  if (drawn !== undefined && !isObject(drawn)) {
    const spelled = [drawn, String(drawn), Number(drawn)].find(isValid);
    if (spelled !== undefined) return spelled;
  }
  const read = (from: string): unknown => memberOf(chosen, from.replace(/^\$request\.(path|query|header)\./, ''));
  const made = parameter.schema === undefined ? undefined : followRecipe(tools, parameter.rule, parameter.schema, read);
  return made ?? (ladder === undefined ? undefined : atOrBefore(ladder, rung)?.value);
}
