import { escapeSegment, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { ContractTools } from './contract-tools.ts';
import type { Model } from './infer-roles.ts';
import type { SchemaReader } from './read-schemas.ts';
import { type Resource, readKey } from './resource.ts';
import { countParameters, readTemplate } from './template.ts';

/** Items by the path of their collection, as a client calls it: `{"/books": […], "/books/7/pages": []}`. */
export type Scenario = Readonly<Record<string, readonly JsonObject[]>>;

export interface ScenarioFault {
  /** JSON pointer into the scenario: `/~1books/0/title`. */
  readonly at: string;
  readonly text: string;
}

/** Items that replace the examples of one collection. */
export interface Filling {
  readonly resource: Resource;
  readonly parents: readonly string[];
  readonly items: readonly JsonObject[];
  /** JSON pointer of the collection in the scenario. */
  readonly at: string;
}

/** Faults in one message. */
const mostFaults = 100;

/** Creates a reader that finds the collection of each path, and judges each item by the schemas of answers and of the bodies that create it. */
export function createScenarioReader(tools: ContractTools, reader: SchemaReader, model: Model) {
  return (
    scenario: Scenario,
  ): { readonly fillings: readonly Filling[] } | { readonly faults: readonly ScenarioFault[] } => {
    const faults: ScenarioFault[] = [];
    const collections = model.resources.filter(({ kind }) => kind === 'collection').map(describe);
    const fillings = Object.entries(scenario).flatMap(([path, items]): readonly Filling[] => {
      const at = `/${escapeSegment(path)}`;
      const found = findCollection(collections, path);
      if (found === undefined) {
        const known = collections.slice(0, 10).map(({ own }) => `/${own.join('/')}`);
        faults.push({ at, text: `${path} is not a collection. Collections: ${known.join(', ') || 'none'}` });
        return [];
      }
      faults.push(...judgeItems(found.resource, items, at, path));
      return [{ ...found, items, at }];
    });
    return faults.length > 0 ? { faults: faults.slice(0, mostFaults) } : { fillings };
  };

  /** The path of a collection, with and without the path of the server. */
  function describe(resource: Resource) {
    const whole = readTemplate(resource.name).segments;
    const plan = [...model.plans.values()].find(({ address }) => address.name === resource.name);
    const base = readTemplate(plan?.operation.basePath ?? '').segments;
    return { resource, whole, own: whole.slice(base.length) };
  }

  /** The collection whose path has the fewest parameters. */
  function findCollection(
    collections: readonly ReturnType<typeof describe>[],
    path: string,
  ): Pick<Filling, 'resource' | 'parents'> | undefined {
    const sent = path.split('/').filter((segment) => segment !== '');
    const fits = (template: readonly string[]): boolean =>
      template.length === sent.length &&
      template.every((segment, index) => segment === '{}' || segment === sent[index]);
    const [found] = collections
      .flatMap(({ resource, whole, own }) => [whole, own].filter(fits).map((template) => ({ resource, template })))
      .sort((a, b) => countParameters(a.template) - countParameters(b.template));
    if (found === undefined || !path.startsWith('/')) return undefined;
    const values = sent.filter((_, index) => found.template[index] === '{}');
    return { resource: found.resource, parents: values.map(decode) };
  }

  function judgeItems(
    resource: Resource,
    items: readonly JsonObject[],
    at: string,
    path: string,
  ): readonly ScenarioFault[] {
    const schemas = [...resource.views, ...resource.drafts];
    const [usual] = schemas;
    const keys = new Set<string>();
    return items.flatMap((item, index): readonly ScenarioFault[] => {
      const place = (inItem: string): string => `${at}/${index}${inItem}`;
      const key = readKey(resource, item);
      if (key !== undefined && keys.has(key))
        return [{ at: place(''), text: `${path}/${index} has the id ${key} of an item before it` }];
      if (key !== undefined) keys.add(key);
      if (!isObject(item)) return [{ at: place(''), text: `${path}/${index} must be an object` }];
      if (usual === undefined || schemas.some((schema) => reader.accepts(item, schema))) return [];
      const [fault] = usual.schemas.flatMap((schema) => tools.judge(item, schema) ?? []);
      return fault === undefined
        ? []
        : [{ at: place(fault.at), text: `${path}/${index}${fault.at} breaks its schema: ${fault.why}` }];
    });
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
