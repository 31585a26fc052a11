import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode, Shape } from '@lockstep/values/shape';
import { once } from './once.ts';
import { mapMembers, type SchemaReader } from './read-schemas.ts';
import { readIds } from './template.ts';

/**
 * Creates the value of a member that is missing or invalid; undefined if it cannot. For an optional member it creates only what the
 * present value means: the object with this id.
 */
export type FillMember = (name: string, node: SchemaNode, around: JsonObject, isRequired: boolean) => unknown;

/** @returns undefined if no valid value was found */
export type ShowValue = (value: unknown, node: SchemaNode, fill: FillMember) => unknown;

/**
 * Whether the whole is judged at once; part by part only if that fails, for example with a part that can be left out. Below the top once,
 * since two attempts at each level would take exponential time.
 */
const attempts = [true, false] as const;
const attemptsBelow = [false] as const;

/** Deeper values stay as they are. */
const deepest = 12;

/**
 * Shows a stored value as a schema describes it: without members that are `writeOnly` or not declared there, with required members
 * that it lacks. A valid value without such members stays the same.
 */
export function createShowValue({ form, accepts, isWriteOnly }: SchemaReader): ShowValue {
  const isHidden = once((node: SchemaNode) => node.schemas.includes(false) || isWriteOnly(node));
  const objectShapes = once((node: SchemaNode) => form.shapes(node).filter(({ types }) => types.has('object')));
  return (value, node, fill) => show(value, node, fill, 0, false);

  /** @param isPart whether the value around it is judged as a whole afterwards: an object or list in it is not judged twice */
  function show(value: unknown, node: SchemaNode, fill: FillMember, depth: number, isPart: boolean): unknown {
    if (depth > deepest || node.schemas.length === 0) return value;
    if (isObject(value)) return showObject(value, node, fill, depth, isPart);
    if (Array.isArray(value)) return showList(value, node, fill, depth, isPart);
    if (accepts(value, node)) return value;
    // One answer has an id as a number, and another as text.
    const spellings = typeof value === 'string' || typeof value === 'number' ? readIds(value) : [];
    return spellings.find((one) => String(one) === String(value) && accepts(one, node));
  }

  function showList(
    value: readonly unknown[],
    node: SchemaNode,
    fill: FillMember,
    depth: number,
    isPart: boolean,
  ): unknown {
    const shapes = form.shapes(node).filter(({ types }) => types.has('array'));
    for (const shape of shapes) {
      const isTrusted = isPart && shapes.length === 1;
      const items = value
        .map((item, index) => show(item, form.item(shape, index), fill, depth + 1, isTrusted))
        .filter((item) => item !== undefined);
      const own = items.length === value.length && items.every((item, index) => item === value[index]) ? value : items;
      if (isTrusted || accepts(own, node)) return own;
    }
    return undefined;
  }

  function showObject(value: JsonObject, node: SchemaNode, fill: FillMember, depth: number, isPart: boolean): unknown {
    const shapes = objectShapes(node);
    const [first] = shapes;
    if (isPart && first !== undefined && shapes.length === 1) return project(value, first, fill, depth, true);
    for (const shape of shapes.length < 2 ? shapes : rank(value, shapes))
      for (const isWhole of depth === 0 ? attempts : attemptsBelow) {
        const shown = project(value, shape, fill, depth, isWhole);
        if (shown !== undefined && accepts(shown, node)) return shown;
      }
    return undefined;
  }

  function rank(value: JsonObject, shapes: readonly Shape[]): readonly Shape[] {
    const names = Object.keys(value);
    const lacking = (shape: Shape): number => [...shape.required].filter((name) => !Object.hasOwn(value, name)).length;
    const known = (shape: Shape): number => names.filter((name) => shape.properties.has(name)).length;
    // Branches whose fixed values, such as a discriminator's, the value has come first.
    const fixed = (shape: Shape): number =>
      names.filter((name) => {
        const { values } = form.common(form.property(shape, name));
        return values?.includes(value[name]);
      }).length;
    return shapes.toSorted((a, b) => fixed(b) - fixed(a) || lacking(a) - lacking(b) || known(b) - known(a));
  }

  function project(
    value: JsonObject,
    shape: Shape,
    fill: FillMember,
    depth: number,
    isWhole: boolean,
  ): JsonObject | undefined {
    const isDescribed = shape.properties.size > 0 && !shape.rests.some(({ schema }) => isObject(schema));
    // Not a copy if it is the same: its validity is known already, and an answer needs no memory of its own.
    const shown = mapMembers(value, (name, member) => {
      if (isDescribed && !shape.properties.has(name)) return undefined;
      const node = form.property(shape, name);
      if (isHidden(node)) return undefined;
      const present = show(member, node, fill, depth + 1, isWhole);
      return present === undefined ? fill(name, node, value, false) : present;
    });
    const added: [string, unknown][] = [];
    for (const name of shape.required) {
      if (Object.hasOwn(shown, name)) continue;
      const node = form.property(shape, name);
      if (isWriteOnly(node)) continue;
      const made = fill(name, node, value, true);
      if (made === undefined) return undefined;
      added.push([name, made]);
    }
    return added.length === 0 ? shown : { ...shown, ...Object.fromEntries(added) };
  }
}
