import { dirname, resolve } from 'node:path';
import { formatPointer, isObject, parseReference } from '@lockstep/json/json-pointer';
import { type ContractFile, listReferences, pathOf } from '../contract/contract-files.ts';
import { displayPath } from '../contract/display-path.ts';
import { readQuickly } from '../contract/read-quickly.ts';
import { walkDocument } from '../contract/walk-document.ts';
import { countMore, type Problem } from '../problem.ts';

/**
 * Puts unresolved references first, and removes findings that only follow from them. Rules that resolve references find nothing there, and so
 * report each member of an example as undescribed and each value of a link as missing.
 *
 * @param files the contract and the files that it refers to
 */
export function foldUnresolved(problems: readonly Problem[], files: readonly ContractFile[]): readonly Problem[] {
  const broken = problems.filter(({ rule }) => rule === 'no-unresolved-refs');
  if (broken.length === 0) return problems;
  const references = readReferences(files);
  const roots = broken.map((problem) => ({ problem, dependents: dependentsOf(placeOf(problem), references) }));
  const followers = new Map(broken.map((problem) => [problem, 0]));
  const others = problems.filter((problem) => {
    if (problem.rule === 'no-unresolved-refs') return false;
    const read = placesReadFor(problem, references);
    const cause = roots.find((it) => isNamedIn(problem, it.problem) || it.dependents.some((at) => isWithin(at, read)));
    if (cause !== undefined) followers.set(cause.problem, (followers.get(cause.problem) ?? 0) + 1);
    return cause === undefined;
  });
  return [...broken.map((problem) => ({ ...problem, ...countMore(followers.get(problem) ?? 0) })), ...others];
}

/** A component that nothing but the misspelt reference uses, or an example that Redocly could not check for it. */
function isNamedIn({ rule, file, pointer, message }: Problem, broken: Problem): boolean {
  if (rule === 'no-unused-components') return file === broken.file && broken.fix === `Did you mean ${pointer}?`;
  const target = /^Example validation errored: can't resolve reference (\S+) from id /.exec(message)?.[1];
  return target !== undefined && broken.message.endsWith(`: ${target}.`);
}

/** `rooms.yaml#/Room/properties`: one place of one file. */
type Place = string;

function placeOf({ file, pointer }: Problem): Place {
  return `${file}${pointer}`;
}

function isWithin(place: Place, outer: readonly Place[]): boolean {
  return outer.some((it) => place === it || place.startsWith(`${it}/`));
}

/** Lists a place and all places around it, up to the whole file. */
function outwards(place: Place): readonly Place[] {
  const segments = place.slice(place.indexOf('#')).split('/');
  const file = place.slice(0, place.indexOf('#'));
  return segments.map((_, index) => `${file}${segments.slice(0, segments.length - index).join('/')}`);
}

/** Places that a rule which resolves references read before it reported this problem; none for other rules. */
function placesReadFor(problem: Problem, references: References): readonly Place[] {
  const place = placeOf(problem);
  // A shared object is reported at its own place, but read for each reference to it.
  const uses = [place, ...outwards(place).flatMap((it) => references.get(it) ?? [])];
  if (problem.rule === 'lockstep/example-member-described') {
    return uses
      .flatMap((use) => /^(.*\/content\/[^/]+)\/examples?(\/|$)/.exec(use)?.slice(1, 2) ?? [])
      .map((media) => `${media}/schema`);
  }
  if (problem.rule === 'lockstep/links-resolve') {
    return uses.flatMap((use) => {
      const [link, response] = /^(.*)\/links\/[^/]+/.exec(use) ?? [];
      return link === undefined ? [] : [link, `${response}/content`];
    });
  }
  if (problem.rule === 'path-parameters-defined' && problem.pointer.endsWith('/parameters')) {
    return [place, place.replace(/\/[^/]+\/parameters$/, '/parameters')];
  }
  return [];
}

/** Maps each referenced place to the places that refer to it. */
type References = ReadonlyMap<Place, readonly Place[]>;

/** The place, and the places of all direct and indirect references to it. */
function dependentsOf(place: Place, references: References): readonly Place[] {
  const found = new Set([place]);
  // The loop over a Set includes entries that it adds: each place once, and cycles stop.
  for (const inner of found) {
    for (const outer of outwards(inner)) for (const from of references.get(outer) ?? []) found.add(from);
  }
  return [...found];
}

/** A link refers to the parameters and to the body of its operation. */
function readReferences(files: readonly ContractFile[]): References {
  const found = new Map<Place, Place[]>();
  const add = (to: Place, from: Place) => found.set(to, [...(found.get(to) ?? []), from]);
  for (const { file, text } of files) {
    const name = displayPath(file);
    const value = readQuickly(text);
    for (const { target, at } of listReferences(value)) {
      const path = pathOf(target);
      const [, fragment = ''] = target.split('#');
      const to = path === '' ? file : resolve(dirname(file), path);
      // Redocly reports the object around a $ref.
      const from = at.at(-1) === '$ref' ? at.slice(0, -1) : at;
      add(`${displayPath(to)}${formatPointer(parseReference(fragment))}`, `${name}${formatPointer(from)}`);
    }
    const named = walkDocument(value).filter(({ node }) => typeof node.operationId === 'string');
    const operations = new Map(
      named.filter(({ node }) => isObject(node.responses)).map(({ at, node }) => [node.operationId, at]),
    );
    for (const { at, node } of named) {
      const operation = operations.get(node.operationId);
      if (at.at(-2) !== 'links' || operation === undefined) continue;
      for (const read of [
        [...operation, 'parameters'],
        [...operation.slice(0, -1), 'parameters'],
        [...operation, 'requestBody'],
      ]) {
        add(`${name}${formatPointer(read)}`, `${name}${formatPointer(at)}`);
      }
    }
  }
  return found;
}
