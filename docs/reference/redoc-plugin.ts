// The Redocly plugin of redocly.yaml beside it: what the contract is given on its way into Redoc, and only there.
import { showExtension, showReferenceExtension } from './show-extension.ts';

type Node = Record<string, unknown>;

interface Context {
  readonly type: { readonly name: string };
}

const showExtensions = {
  any: {
    leave(node: unknown, { type }: Context) {
      if (typeof node === 'object' && node !== null) showExtension(node as Node, type.name);
    },
  },
  ref: { leave: (node: Node, { type }: Context) => showReferenceExtension(node, type.name) },
};

/** Redocly takes a plugin as the default export of its file; the project has no other default export. */
export default function redocPlugin() {
  return { id: 'docs', decorators: { oas3: { 'show-extensions': () => showExtensions } } };
}
