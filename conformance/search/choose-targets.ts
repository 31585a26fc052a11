import type { RunContext } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import type { DataTools } from '../data/value-candidates.ts';
import type { Draft } from '../execute/exchange.ts';
import { seenOf } from '../execute/write-request.ts';
import { isNameOfSystem, type OperationKind } from '../plan/operation-kinds.ts';
import { refuseValues } from '../plan/permissions.ts';
import { exampleTarget, findTargets, type Target } from '../resources/find-targets.ts';
import { plainPath, slotsOf } from '../resources/slots.ts';
import { holdsSecrets } from '../schema/annotated-values.ts';

/** Targets of an operation, best first, the contract's example last. */
export function allTargets(context: RunContext, operation: Operation, kind: OperationKind): readonly Target[] {
  const { permissions, resources } = context;
  const found = findTargets(context, resources, operation);
  const isChange = kind === 'change' || kind === 'remove';
  // A change never goes to a guessed id: the object may belong to somebody else.
  const sure = isChange
    ? found.filter(
        (target) => target.owned || (target.sure && !(kind === 'remove' && isOfSystem(context, operation, target))),
      )
    : found;
  const ordered = kind === 'remove' ? newestFirst(sure) : sure;
  const generated = generatedTargets(context, operation);
  return permissions.writes === 'all' || !isChange || slotsOf(operation.path).length === 0
    ? [...ordered, ...generated, exampleTarget]
    : [...ordered, ...generated];
}

/** A deletion takes the object that was created last: the probes of other operations have used the earlier ones. */
function newestFirst(targets: readonly Target[]): readonly Target[] {
  const own = targets.filter(({ owned, proven }) => owned && proven === true);
  return [...own.toReversed(), ...targets.filter((target) => !own.includes(target))];
}

function isOfSystem({ resources }: RunContext, operation: Operation, { values }: Target): boolean {
  if (resources.isOfSystem(operation, values)) return true;
  return Object.values(values).some(isNameOfSystem);
}

/** The run's tag as a new id, for a PUT that creates (the contract declares 201). */
function generatedTargets(context: RunContext, operation: Operation): Target[] {
  const last = slotsOf(operation.path).at(-1);
  const creates = operation.method === 'put' && operation.responses.some(({ status }) => status === '201');
  if (!creates || last === undefined || !plainPath(operation.path).endsWith('/{}')) return [];
  const above = { ...operation, path: operation.path.slice(0, operation.path.lastIndexOf('/{')) };
  const parents = slotsOf(above.path).length === 0 ? [exampleTarget] : findTargets(context, context.resources, above);
  const { schema } = operation.parameters.find(({ name }) => name === last.parameter) ?? {};
  const isFit = schema === undefined || context.judge.accepts(schema, 'request', context.tag);
  const [parent] = parents;
  if (!isFit || parent === undefined) return [];
  return [{ label: 'generated', values: { ...parent.values, [last.parameter]: context.tag }, owned: true, sure: true }];
}

interface Preparing {
  readonly context: RunContext;
  readonly tools: DataTools;
  readonly operation: Operation;
  readonly kind: OperationKind;
}

export function prepare({ context, tools, operation, kind }: Preparing, draft: Draft, target: Target): Draft | string {
  const { permissions } = context;
  const check = (checked: Draft): Draft | string => refuseValues(operation, seenOf(checked), permissions) ?? checked;
  const isForeign = (kind === 'change' || kind === 'remove') && !target.owned && permissions.writes !== 'all';
  if (!isForeign) return check(draft);
  const hint = 'pass --writes all to send it to objects of others';
  if (kind === 'remove') return `this run created no item that it could delete: ${hint}`;
  const body = permissions.writes === 'restore' ? restoreBody(context, tools, draft) : undefined;
  if (body === undefined) return `the run could not restore the object that it would change: ${hint}`;
  return check({ ...draft, label: `${target.label}, as it was read`, body });
}

/** A body that writes back the values last read of the object, so that a write to an object of others changes nothing. */
function restoreBody({ resources }: RunContext, tools: DataTools, draft: Draft): Draft['body'] {
  const { operation, parameters } = draft;
  const path = seenOf({ operation, parameters, body: undefined, label: '' }).path;
  return bodyAsRead(resources.lastRead(operation.path, path), tools, draft);
}

/** The body of a write with the values of a read; undefined if the schema does not allow them. */
export function bodyAsRead(read: unknown, tools: DataTools, { operation, body }: Draft): Draft['body'] {
  if (!isObject(read) || body?.content.schema === undefined) return undefined;
  const { root } = tools.contract;
  const { schema } = body.content;
  const form = tools.judge.forms.request;
  const shape = form.branch(form.at(schema));
  const properties = form.declared(shape);
  const [only] = Object.values(read);
  const whole = Object.keys(read).length === 1 && isObject(only) ? only : read;
  // Reads omit or mask secrets: a PUT without the secret, or with its mask, would delete it.
  const open = [...properties].filter(([, property]) => !holdsSecrets(root, property));
  if (open.length < properties.size && operation.method !== 'patch') return undefined;
  const entries = open.flatMap(([name, property]): [string, unknown][] => {
    if (!Object.hasOwn(whole, name) || form.common(form.property(shape, name)).isLeftOut) return [];
    const value = whole[name];
    const spelled = [value, ...(typeof value === 'number' ? [String(value)] : [])];
    return [[name, spelled.find((one) => tools.judge.accepts(property, 'request', one))]];
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  if (entries.length === 0 && operation.method !== 'patch') return undefined;
  const value = Object.fromEntries(entries);
  return tools.judge.accepts(schema, 'request', value) ? { ...body, value } : undefined;
}
