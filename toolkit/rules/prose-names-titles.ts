import { isObject } from '@lockstep/json/json-pointer';
import type { Location, Oas3Rule } from 'redocly-core';
import { nearestName } from '../contract/nearest-name.ts';

const fencedBlock = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ {0,3}\1/gm;
const codeSpan = /`([^`\n]+)`/g;
const bareWord = /\b[a-z]+[A-Z]\w*/g;
const operationLink = /\]\(#operation\/([^)\s]*)\)/g;

/**
 * A description names an operation by its title, with a link: readers don't know the names of generated code. A link leads to an operation that
 * exists, since a reference page shows no error for a dead link.
 *
 * A name of one word in lower case, such as `login`, may be a value, so it is allowed in code marks.
 */
export const proseNamesTitles: Oas3Rule = () => {
  const titles = new Map<string, string>();
  const descriptions = new Map<string, { readonly text: string; readonly location: Location }>();
  return {
    Operation({ operationId, summary }) {
      if (operationId !== undefined) titles.set(operationId, summary ?? operationId);
    },
    any: {
      enter(node: unknown, { location }) {
        if (!isObject(node) || typeof node.description !== 'string') return;
        const place = location.child('description');
        // A shared object is visited once for each reference to it.
        descriptions.set(place.absolutePointer, { text: node.description, location: place });
      },
    },
    Root: {
      leave(_, { report }) {
        for (const { text, location } of descriptions.values())
          for (const { message, fix } of proseFaults(text, titles))
            report({ message: message, suggest: [fix], location });
      },
    },
  };
};

function* proseFaults(text: string, titles: ReadonlyMap<string, string>) {
  const prose = text.replaceAll(fencedBlock, '');
  const words = prose.replaceAll(codeSpan, '').replaceAll(operationLink, '').match(bareWord) ?? [];
  for (const name of [...Array.from(prose.matchAll(codeSpan), ([, inside = '']) => inside), ...words]) {
    const title = titles.get(name);
    if (title === undefined || !/[A-Z]/.test(name)) continue;
    const message = `The description names an operation by its operationId, ${name}.`;
    yield { message, fix: `Write its title with a link: [${title}](#operation/${name}).` };
  }
  for (const [, name = ''] of prose.matchAll(operationLink)) {
    if (titles.has(name)) continue;
    const nearest = nearestName(name, [...titles.keys()]);
    const fix = nearest === undefined ? 'Name an operation by its operationId.' : `Write #operation/${nearest}.`;
    yield { message: `The link #operation/${name} leads to no operation.`, fix };
  }
}
