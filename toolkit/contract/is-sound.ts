import { type ContractDocument, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import type { normalizeTypes } from '@redocly/openapi-core';

/** The linter's description of one kind of object, such as an operation. */
type NodeType = ReturnType<typeof normalizeTypes>[string];

/** A kind of object, the format of another value, or null for a member with any value. */
type MemberType = Exclude<NodeType['additionalProperties'], (...values: never[]) => unknown>;

/** The format of a value that is no object of OpenAPI. */
type Scalar = Exclude<MemberType, NodeType | null | undefined>;

/** Chains of references in real contracts are one or two long. */
const longestChain = 32;

/**
 * Whether the linter would certainly find nothing by its rules `struct`, `no-unresolved-refs` and `operation-operationId-unique`. It reads the
 * linter's own types in a tenth of its time, since it needs no locations: for the 845 operations of one contract 60 ms in place of 800.
 *
 * @param types of the linter, for the version of the document
 * @returns false for a fault, and for everything unusual: the linter then decides. References to other files are unusual
 */
export function isSound(document: JsonObject, types: Readonly<Record<string, NodeType>>): boolean {
  const seen = new Map<string, Set<object>>();
  const operationIds = new Set<unknown>();
  try {
    return types.Root !== undefined && isNodeSound(document, types.Root);
  } catch {
    // The linter's types expect values of certain types.
    return false;
  }

  function isNodeSound(node: unknown, type: NodeType): boolean {
    if (isReference(node)) {
      const target = targetOf(node.$ref);
      const isMember = (name: string): boolean => name === '$ref' || isMemberSound(node, name, type);
      return target !== undefined && Object.keys(node).every(isMember) && isNodeSound(target, type);
    }
    if (typeof node !== 'object' || node === null) return false;
    const known = seen.get(type.name) ?? new Set();
    if (known.has(node)) return true;
    seen.set(type.name, known.add(node));
    if (Array.isArray(node)) return isListSound(node, type);
    return isObject(node) && type.items === undefined && isObjectSound(node, type);
  }

  function isListSound(list: readonly unknown[], { items }: NodeType): boolean {
    if (typeof items === 'function' || !isNodeType(items)) return false;
    return list.every((item) => isNodeSound(item, items));
  }

  function isObjectSound(node: JsonObject, type: NodeType): boolean {
    const { required = [], requiredOneOf = [], allowed } = type;
    const hasOwn = (name: string): boolean => Object.hasOwn(node, name);
    const needed = typeof required === 'function' ? required(node, undefined) : required;
    if (!needed.every(hasOwn) || (requiredOneOf.length > 0 && !requiredOneOf.some(hasOwn))) return false;
    const names = Object.keys(node);
    const onlyThese = allowed?.(node);
    if (onlyThese !== undefined && !names.every((name) => onlyThese.includes(name) || name.startsWith('x-')))
      return false;
    if (type.name === 'Operation' && hasOwn('operationId')) {
      if (operationIds.has(node.operationId)) return false;
      operationIds.add(node.operationId);
    }
    return names.every((name) => isMemberSound(node, name, type));
  }

  function isMemberSound(node: JsonObject, name: string, type: NodeType): boolean {
    const value = node[name];
    const declared = type.properties[name] ?? (name in type.properties ? null : type.additionalProperties);
    const member = typeof declared === 'function' ? declared(value, name) : declared;
    // A member with any value.
    if (member === null) return true;
    if (member === undefined) return name.startsWith('x-') && isDataSound(value);
    if (isNodeType(member)) return isNodeSound(value, member);
    // The linter also requires that names of schemas in a mapping are references.
    if (type.name === 'DiscriminatorMapping' && member.directResolveAs === undefined) return false;
    if (member.directResolveAs !== undefined) return isNodeSound({ $ref: value }, member.directResolveAs);
    return isScalarSound(value, member) && isDataSound(value);
  }

  function isScalarSound(given: unknown, { enum: values, type, items, minimum }: Scalar): boolean {
    const value = isReference(given) ? targetOf(given.$ref) : given;
    const isListed = (one: unknown, among: readonly unknown[] | undefined): boolean => among?.includes(one) ?? true;
    if (!isListed(value, values)) return false;
    if (values === undefined && type !== undefined && !isOfType(value, type)) return false;
    if (minimum !== undefined && minimum > Number(given)) return false;
    if (items === undefined || !Array.isArray(value)) return true;
    return value.every(
      (item) => isListed(item, items.enum) && (items.type === undefined || isOfType(item, items.type)),
    );
  }

  /** Whether each reference inside a value of any format has a target. The linter follows these too. */
  function isDataSound(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return true;
    if (isReference(value) && targetOf(value.$ref) === undefined) return false;
    // The linter reads the file behind it.
    if (typeof (value as JsonObject).externalValue === 'string') return false;
    return Object.values(value).every(isDataSound);
  }

  /** @returns undefined if there is none, and for references that programs read in different ways */
  function targetOf(reference: string): unknown {
    let $ref = reference;
    for (let hops = 0; hops < longestChain; hops += 1) {
      if (!/^#\/[^%]+$/.test($ref) || /\/(\/|$)/.test($ref)) return undefined;
      const target = readPointer(document as ContractDocument, $ref);
      if (!isReference(target)) return target;
      ({ $ref } = target);
    }
    return undefined;
  }
}

function isReference(node: unknown): node is JsonObject & { readonly $ref: string } {
  return isObject(node) && typeof node.$ref === 'string';
}

function isNodeType(type: MemberType | string): type is NodeType {
  return typeof type === 'object' && type !== null && typeof type.name === 'string';
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
