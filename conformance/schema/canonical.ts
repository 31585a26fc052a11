import * as values from '@lockstep/values/canonical-form';
import type { SchemaNode, Shape } from '@lockstep/values/shape';
import type { Contract, ContractProblem } from '../contract/contract.ts';
import { isObject, type JsonObject, type Pointer, type ReportPart } from '../contract/document.ts';
import { createDialect, type Dialect, type Direction } from './dialect.ts';

/** The canonical form from which values are built, with the locations of its parts in the contract. */
export interface CanonicalForm extends values.CanonicalForm {
  readonly direction: Direction;
  readonly at: (pointer: Pointer) => SchemaNode;
  /** The properties that a shape declares, each with its most specific location in the contract. */
  readonly declared: (shape: Shape) => ReadonlyMap<string, Pointer>;
  /** Location of a node in the contract; undefined if it has none. */
  readonly pointerOf: (node: SchemaNode) => Pointer | undefined;
}

/** The schemas of a contract as each direction reads them. */
export interface Schemas {
  readonly dialects: Readonly<Record<Direction, Dialect>>;
  readonly forms: Readonly<Record<Direction, CanonicalForm>>;
  /** Parts that could not be read so far. */
  readonly problems: () => readonly ContractProblem[];
  /** Adds a problem to `problems`; repeated ones are ignored. */
  readonly report: ReportPart;
}

const schemasByRoot = new WeakMap<JsonObject, Schemas>();

/** Reads the schemas of a document once. */
export function schemasOf({ root, lineOf }: Pick<Contract, 'root' | 'lineOf'>): Schemas {
  const known = schemasByRoot.get(root);
  if (known !== undefined) return known;
  const problems = new Map<string, ContractProblem>();
  const report: ReportPart = (pointer, message, fix, breaks) => {
    const key = `${pointer} ${message}`;
    if (!problems.has(key)) problems.set(key, { pointer, line: lineOf(pointer), message, fix, breaks });
  };
  const request = createDialect(root, 'request', report);
  const response = createDialect(root, 'response', report);
  const schemas = {
    dialects: { request, response },
    forms: { request: formOf(request), response: formOf(response) },
    problems: () => [...problems.values()],
    report,
  };
  schemasByRoot.set(root, schemas);
  return schemas;
}

/** The canonical form of values in requests. */
export function requestForm(contract: Pick<Contract, 'root' | 'lineOf'>): CanonicalForm {
  return schemasOf(contract).forms.request;
}

function formOf(dialect: Dialect): CanonicalForm {
  const { direction } = dialect;
  const form = values.createCanonicalForm({
    leavesOut: direction === 'request' ? 'readOnly' : 'writeOnly',
    resolve: (id) => dialect.resolve(id)?.schema,
  });
  const declaredBy = new WeakMap<Shape, ReadonlyMap<string, Pointer>>();
  return {
    ...form,
    direction,
    at: (pointer) => form.join(dialect.definitionAt(pointer).schema),
    declared: (shape) => {
      const known = declaredBy.get(shape);
      if (known !== undefined) return known;
      const found = new Map<string, Pointer>();
      declaredBy.set(shape, found);
      for (const [name, schemas] of shape.properties) {
        const places = schemas.flatMap((schema) => {
          const pointer = isObject(schema) ? dialect.pointerOf(schema) : undefined;
          // The names of a discriminator are at another location.
          return pointer !== undefined && /\/properties\/[^/]*$/.test(pointer) ? [{ schema, pointer }] : [];
        });
        // An empty schema only allows the name: another part describes it.
        const place = places.findLast(({ schema }) => Object.keys(schema).length > 0) ?? places.at(-1);
        if (place !== undefined) found.set(name, place.pointer);
      }
      return found;
    },
    pointerOf: (node) =>
      node.schemas.map((schema) => (isObject(schema) ? dialect.pointerOf(schema) : undefined)).find(Boolean),
  };
}
