// The files of `lockstep new --state` that differ from those of a project without a store: the handlers of each resource, and the store
// behind them.
import type { Operation } from '@lockstep/runtime/operation';
import type { Role } from '@lockstep/runtime/stateful/answer-from-state';

/** The handlers of one resource. */
interface Part {
  /** `books`; the file is `handlers/books.ts`. */
  readonly file: string;
  /** `booksHandlers` */
  readonly name: string;
  /** The path of the resource; undefined for the operations without a resource. */
  readonly resource: string | undefined;
  readonly operations: readonly Operation[];
}

/** The store of a project, and the operations that use it. */
export interface Stored {
  readonly kind: StoreKind;
  readonly roles: readonly Role[];
}

export type StoreKind = 'memory' | 'sqlite';

/** How a project writes its operations. */
export interface Writing {
  /** A row of handlers, with a comment that describes the operation. */
  readonly formatRow: (operation: Operation, handler: string) => string;
  /** The name of a member in TypeScript, quoted if necessary. */
  readonly quoteName: (name: string) => string;
  /** A text of the contract for a comment. */
  readonly oneLine: (text: string) => string;
}

/** The operations without a resource. */
const otherFile = 'other';

/** `handlers.ts`, a file for each resource, and `state.ts`. */
export function formStored(
  operations: readonly Operation[],
  { kind, roles }: Stored,
  writing: Writing,
): readonly (readonly [string, string])[] {
  const parts = findParts(operations, roles);
  return [
    ['handlers.ts', formatAll(parts)] as const,
    ['state.ts', formatState(kind)] as const,
    ...parts.map((part) => [`handlers/${part.file}.ts`, formatPart(part, writing)] as const),
  ];
}

function findParts(operations: readonly Operation[], roles: readonly Role[]): readonly Part[] {
  const resources = new Map(roles.map(({ operationId, resource }) => [operationId, resource]));
  const groups = Map.groupBy(operations, ({ operationId }) => resources.get(operationId));
  // `handlers.ts` imports `defineHandlers`.
  const taken = new Set([nameHandlers(otherFile), 'defineHandlers']);
  return [...groups].map(([resource, own]) => {
    const file = resource === undefined ? otherFile : nameFile(resource, own[0]?.basePath ?? '', taken);
    return { file, name: nameHandlers(file), resource, operations: own };
  });
}

/** `apiBooksHandlers` for the file `api-books`. */
function nameHandlers(file: string): string {
  const camel = file.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `${/^\d/.test(camel) ? '_' : ''}${camel}Handlers`;
}

/**
 * `devices-activity` for `/v1/devices/{}/activity` below `/v1`. Two files may give one name of handlers: `api-2fa`, `api2fa`. No two files differ only in
 * case: some file systems would see one file.
 *
 * @param taken names of handlers
 */
function nameFile(resource: string, basePath: string, taken: Set<string>): string {
  const path = resource.startsWith(basePath) ? resource.slice(basePath.length) : resource;
  const words = path.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2').match(/[A-Za-z\d]+/g) ?? ['root'];
  const name = words.join('-').toLowerCase().slice(0, 80).replace(/-$/, '');
  let unique = name;
  for (let count = 2; taken.has(nameHandlers(unique)); count += 1) unique = `${name}-${count}`;
  taken.add(nameHandlers(unique));
  return unique;
}

function formatAll(parts: readonly Part[]): string {
  const imports = parts.map(({ file, name }) => `import { ${name} } from './handlers/${file}.ts';\n`);
  return [
    '// One handler for each operation of the contract, in a file for each resource. A missing handler, an undeclared status or member does not\n',
    '// compile.\n',
    "import { defineHandlers } from './generated/handlers.gen.ts';\n",
    ...imports,
    "import type { Principal } from './security.ts';\n\n",
    'export const handlers = defineHandlers<Principal>()({\n',
    ...parts.map(({ name }) => `  ...${name},\n`),
    '});\n',
  ].join('');
}

function formatPart({ name, resource, operations }: Part, { formatRow, quoteName, oneLine }: Writing): string {
  const isStored = resource !== undefined;
  const rows = operations.map((operation) => {
    const id = quoteName(operation.operationId);
    const handler = id === operation.operationId ? `stored.${id}` : `stored[${id}]`;
    return formatRow(operation, isStored ? handler : 'notImplemented');
  });
  return [
    isStored
      ? `// The operations of ${oneLine(resource)}. Each answers from the store.\n`
      : '// Operations without a resource.\n',
    `// To write one yourself, replace \`${isStored ? 'stored.…' : 'notImplemented'}\` by\n`,
    '// `({ path, query, headers, body, principal }) => ({ status: 200, body: … })`.\n',
    isStored ? '' : "import { notImplemented } from '@lockstep/runtime/rejection';\n",
    "import { definePart } from '../generated/handlers.gen.ts';\n",
    "import type { Principal } from '../security.ts';\n",
    isStored ? "import { stored } from '../state.ts';\n" : '',
    `\nexport const ${name} = definePart<Principal>()({\n${rows.join('\n')}});\n`,
  ].join('');
}

/** The file of a store in SQLite. */
export const storeFile = 'state.sqlite';

/** The parts of a project that depend on the kind of its store. */
const stores: Readonly<
  Record<
    StoreKind,
    {
      readonly about: string;
      readonly imports: string;
      readonly opened: string;
      /** The end of the sentence `The operations answer from a store`, in the README. */
      readonly readme: string;
    }
  >
> = {
  memory: {
    about: `// The store behind the handlers. It keeps the items that requests create, in memory, until the service stops, and begins with the examples of
// the contract. Delete this file when no handler uses it any more.
`,
    imports: '',
    opened: '',
    readme:
      'in memory, which begins with the examples of the contract: what you create can be read, listed, changed and\n  deleted, until the service stops.',
  },
  sqlite: {
    about: `// The store behind the handlers. It keeps the items that requests create in the file ${storeFile} or STATE_FILE, and begins with the examples of
// the contract. Delete this file when no handler uses it any more.
`,
    imports:
      "import { fileURLToPath } from 'node:url';\nimport { openSqliteStore } from '@lockstep/runtime/stateful/sqlite-store';\n",
    opened: `
/** Tests get a store of their own, in memory: the runner of Node sets this variable. */
const isTested = process.env.NODE_TEST_CONTEXT !== undefined;
const file = isTested ? ':memory:' : process.env.STATE_FILE || fileURLToPath(new URL('./${storeFile}', import.meta.url));
const store = openSqliteStore(file);
`,
    readme: `in one SQLite file, \`${storeFile}\` or \`STATE_FILE\`, which begins with the examples of the contract: what you create can be\n  read, listed, changed and deleted. Delete the file to begin again, for example after a change of the contract. Tests use a store of their own.`,
  },
};

function formatState(kind: StoreKind): string {
  const { about, imports, opened } = stores[kind];
  return [
    about,
    "import { readFileSync } from 'node:fs';\n",
    imports,
    "import { createStoredHandlers } from '@lockstep/runtime/stateful/stored-handlers';\n",
    "import type { Handlers } from './generated/handlers.gen.ts';\n",
    "import { operations } from './generated/operations.gen.ts';\n",
    "import type { Principal } from './security.ts';\n\n",
    "const contract = JSON.parse(readFileSync(new URL('./generated/contract.gen.json', import.meta.url), 'utf8'));\n",
    opened,
    '\n/** A handler for each operation. Yours can call one: `(request) => (isKnown(request.body) ? { status: 409 } : stored.addThing(request))`. */\n',
    `export const stored = createStoredHandlers<Handlers<Principal>>({ contract, operations${kind === 'memory' ? '' : ', store'} });\n`,
  ].join('');
}

/** Sentences of the README of a project without a store, and those in their place. */
const sentencesFor = (kind: StoreKind): readonly (readonly [string, string])[] => [
  [
    '- Every operation answers 501 until you write it.\n',
    [
      `- The operations answer from a store ${stores[kind].readme}\n`,
      '  An operation without a resource answers 501 until you write it in `handlers/other.ts`.\n',
      '- If an operation requires credentials, start with `DEMO_TOKEN=SECRET npm start`: the checks of `security.ts` accept `SECRET` as token, key or\n',
      '  password. Without this variable every caller gets 401.\n',
    ].join(''),
  ],
  [
    'In [handlers.ts](handlers.ts), replace `notImplemented` by a function. The function gets',
    'In the file of its resource in [handlers](handlers), replace `stored.…` or `notImplemented` by a function. The function\n   gets',
  ],
  [
    'write the check of each security scheme of the operation. Until then every caller gets 401.',
    'write the check of each security scheme of the operation, in place of the one for a first try.',
  ],
  [
    'After a new operation, the project does not\n   compile until `handlers.ts` has its handler.',
    'After a new operation, the project does not\n   compile until a file of `handlers/` has its handler: `stored.NAME` answers from the store.',
  ],
];

/** The README of a project with a store. */
export function describeStored(readme: string, kind: StoreKind): string {
  return sentencesFor(kind).reduce((text, [before, after]) => text.replace(before, () => after), readme);
}

/** The check of credentials in a project with a store. */
export const demoCheck = `const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** For a first try. Without the variable, nobody knows it. */
const secret = digest(process.env.DEMO_TOKEN || randomUUID());

/**
 * Accepts the secret in the environment variable DEMO_TOKEN, and nothing without it. Write your own check: to accept a caller, return
 * \`{ kind: 'good', principal: { name: 'ann' } }\`, with \`scopes\` if the contract requires some.
 */
const demo = (sent: string): Verdict<Principal> =>
  timingSafeEqual(digest(sent), secret) ? { kind: 'good', principal: { name: 'demo' } } : { kind: 'bad', reason: 'invalid' };

`;

export const cryptoImport = "import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';\n";

/** The check by what it is called with, where that is not the secret itself. */
export const demoChecks: Readonly<Record<string, string>> = { basic: '({ password }) => demo(password)' };
