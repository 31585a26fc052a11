import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode, Shape } from '@lockstep/values/shape';
import type { SchemaReader } from './read-schemas.ts';
import { readIds } from './template.ts';

/**
 * Creates the value of a member that is missing or invalid; undefined if it cannot. For an optional member it creates only what the
 * present value means: the object with this id.
 */
export type FillMember = (name: string, node: SchemaNode, around: JsonObject, isRequired: boolean) => unknown;

/** @returns undefined if no valid value was found */
export type ShowValue = (value: unknown, node: SchemaNode, fill: FillMember) => unknown;

/** Deeper values stay as they are. */
const deepest = 12;

/**
 * Shows a stored value as a schema describes it: without members that are `writeOnly` or not declared there, with required members
 * that it lacks. A valid value without such members stays the same.
 */
export function createShowValue({ form, accepts, isWriteOnly }: SchemaReader): ShowValue {
  return (value, node, fill) => show(value, node, fill, 0);

  function show(value: unknown, node: SchemaNode, fill: FillMember, depth: number): unknown {
    if (depth > deepest || node.schemas.length === 0) return value;
    if (isObject(value)) return showObject(value, node, fill, depth);
    if (Array.isArray(value)) return showList(value, node, fill, depth);
    if (accepts(value, node)) return value;
    // One answer has an id as a number, and another as text.
    const spellings = typeof value === 'string' || typeof value === 'number' ? readIds(value) : [];
    return spellings.find((one) => String(one) === String(value) && accepts(one, node));
  }

  function showList(value: readonly unknown[], node: SchemaNode, fill: FillMember, depth: number): unknown {
    for (const shape of form.shapes(node)) {
      if (!shape.types.has('array')) continue;
      const items = value
        .map((item, index) => show(item, form.item(shape, index), fill, depth + 1))
        .filter((item) => item !== undefined);
      const own = items.length === value.length && items.every((item, index) => item === value[index]) ? value : items;
      if (accepts(own, node)) return own;
    }
    return undefined;
  }

  function showObject(value: JsonObject, node: SchemaNode, fill: FillMember, depth: number): unknown {
    const names = Object.keys(value);
    const shapes = form.shapes(node).filter(({ types }) => types.has('object'));
    const lacking = (shape: Shape): number => [...shape.required].filter((name) => !Object.hasOwn(value, name)).length;
    const known = (shape: Shape): number => names.filter((name) => shape.properties.has(name)).length;
    // Branches whose fixed values, such as a discriminator's, the value has come first.
    const fixed = (shape: Shape): number =>
      names.filter((name) => {
        const { values } = form.common(form.property(shape, name));
        return values?.includes(value[name]);
      }).length;
    const ranked =
      shapes.length < 2
        ? shapes
        : shapes.toSorted((a, b) => fixed(b) - fixed(a) || lacking(a) - lacking(b) || known(b) - known(a));
    for (const shape of ranked) {
      const shown = project(value, shape, fill, depth);
      if (shown !== undefined && accepts(shown, node)) return shown;
    }
    return undefined;
  }

  function project(value: JsonObject, shape: Shape, fill: FillMember, depth: number): JsonObject | undefined {
    const shown = new Map<string, unknown>();
    let isSame = true;
    const isDescribed = shape.properties.size > 0 && !shape.rests.some(({ schema }) => isObject(schema));
    for (const [name, member] of Object.entries(value)) {
      const own = showMember(name, member);
      if (own !== undefined) shown.set(name, own);
      isSame &&= own === member;
    }
    for (const name of shape.required) {
      if (shown.has(name)) continue;
      const node = form.property(shape, name);
      if (isWriteOnly(node)) continue;
      const made = fill(name, node, value, true);
      if (made === undefined) return undefined;
      shown.set(name, made);
      isSame = false;
    }
    // Not a copy: its validity is known already, and an answer needs no memory of its own.
    return isSame ? value : Object.fromEntries(shown);

    function showMember(name: string, member: unknown): unknown {
      if (isDescribed && !shape.properties.has(name)) return undefined;
      const node = form.property(shape, name);
      if (node.schemas.includes(false) || isWriteOnly(node)) return undefined;
      const present = show(member, node, fill, depth + 1);
      return present === undefined ? fill(name, node, value, false) : present;
    }
  }
}
