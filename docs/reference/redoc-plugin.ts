// The Redocly plugin of redocly.yaml in this folder: changes of the contract that only Redoc gets.
import { appendPages } from './append-pages.ts';
import { readPage } from './read-page.ts';
import { showExtension, showReferenceExtension } from './show-extension.ts';
import { showOperationId } from './show-operation-id.ts';

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

/** Redocly runs in a separate process, so its environment contains the file names, as JSON. */
export const pagesVariable = 'DOCS_PAGES';

interface PagesToAdd {
  readonly pages: readonly string[];
  readonly allowFiles: readonly string[];
}

const addPages = {
  Info: {
    leave(info: Node) {
      const { pages, allowFiles }: PagesToAdd = JSON.parse(process.env[pagesVariable] ?? '{"pages": []}');
      if (pages.length === 0) return;
      const read = pages.map((page) => readPage(page, { allowFiles }));
      info.description = appendPages(info.description as string | undefined, read);
    },
  },
};

const showOperationIds = { Operation: { leave: (operation: Node) => showOperationId(operation) } };

/** Removes the header of a derived file, which is of no use to a reader. */
const dropHeader = {
  Root: {
    leave(root: Node) {
      delete root['x-generated'];
    },
  },
};

/** Redocly takes a plugin as the default export of its file; the project has no other default export. */
export default function redocPlugin() {
  const decorators = {
    'show-extensions': () => showExtensions,
    'show-operation-ids': () => showOperationIds,
    'add-pages': () => addPages,
    'drop-header': () => dropHeader,
  };
  return { id: 'docs', decorators: { oas3: decorators } };
}
