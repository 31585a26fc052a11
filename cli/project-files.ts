// The files of `lockstep new`, other than the contract and its derived files. `cli/project/` is such a project for the contract in it: files
// that are the same for every contract are copied from there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeControls } from '@lockstep/json/escape-controls';
import { followMember, isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import type { Operation } from '@lockstep/runtime/operation';
import { type DeclaredScheme, readScheme } from '@lockstep/runtime/security/scheme';
import type { Contract } from '@lockstep/toolkit/contract/read-contract';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import {
  cryptoImport,
  demoCheck,
  demoChecks,
  describeStored,
  formStored,
  type Stored,
  storeFile,
  type Writing,
} from './stored-files.ts';

const templates = join(import.meta.dirname, 'project');

/** Maps paths to names of templates: npm would treat two of the paths as its own when it packs. */
const copied: Readonly<Record<string, string>> = {
  '.gitattributes': 'gitattributes',
  '.github/workflows/ci.yml': 'ci.yml',
  '.gitignore': 'gitignore',
  '.npmrc': 'npmrc',
  'server.test.ts': 'server.test.ts',
  'server.ts': 'server.ts',
  'tsconfig.json': 'tsconfig.json',
};

export interface ProjectOptions {
  /** Name of the package in lower case, as npm requires. */
  readonly name: string;
  /** Name of the contract in the project. */
  readonly contractFile: string;
  /** Names of the tarballs in `vendor/`, by name of package. */
  readonly vendor: Readonly<Record<string, string>>;
  /** The store that the handlers answer from. By default they answer 501. */
  readonly stored?: Stored | undefined;
}

/** Maps the path of every file, except the contract and derived files, to its text. */
export function formProject(
  contract: Contract,
  { name, contractFile, vendor, stored }: ProjectOptions,
): ReadonlyMap<string, string> {
  const operations = Object.values(describeOperations(contract.document));
  const document = contract.document as unknown as JsonObject;
  const texts = Object.entries(copied).map(([file, template]): [string, string] => {
    const text = readTemplate(template);
    return [file, file === '.gitignore' && stored?.kind === 'sqlite' ? `${text}${storeFile}*\n` : text];
  });
  const template = readTemplate('README.md');
  // The title is inserted last: it may contain any words of the other replacements.
  const readme = (stored === undefined ? template : describeStored(template, stored.kind))
    .replaceAll('contract.yaml', contractFile)
    .replace(/^# .*/, () => `# ${oneLine(titleOf(document)).replaceAll(/[\\`<[&]/g, '\\$&')}`);
  const writing = { formatRow: (...row: Row) => formatRow(document, ...row), quoteName, oneLine };
  const handlers: readonly (readonly [string, string])[] =
    stored === undefined
      ? [['handlers.ts', formatHandlers(operations, writing)]]
      : formStored(operations, stored, writing);
  return new Map([
    ...texts,
    ['README.md', readme],
    ...handlers,
    ['package.json', formatManifest({ name, contractFile, vendor }, operations)],
    ['security.ts', formatSecurity(contract, operations, stored !== undefined)],
  ]);
}

/** Title of a contract, or `Service`. */
export function titleOf(document: JsonObject): string {
  return String(followMember(document, document, 'info').title ?? '') || 'Service';
}

type Row = Parameters<Writing['formatRow']>;

function formatRow(document: JsonObject, ...[operation, handler]: Row): string {
  const { operationId, method, basePath, path, pointer } = operation;
  const described = readPointer(document, pointer);
  const summary = oneLine(isObject(described) ? String(described.summary ?? '') : '');
  const place = oneLine(`${method.toUpperCase()} ${basePath}${path}${summary === '' ? '' : `: ${summary}`}`);
  return `  // ${place}\n  ${quoteName(operationId)}: ${handler},\n`;
}

function formatHandlers(operations: readonly Operation[], writing: Writing): string {
  const [comment = ''] = readTemplate('handlers.ts').split(/^import /m);
  const rows = operations.map((operation) => writing.formatRow(operation, 'notImplemented'));
  return [
    comment,
    rows.length === 0 ? '' : "import { notImplemented } from '@lockstep/runtime/rejection';\n",
    "import { defineHandlers } from './generated/handlers.gen.ts';\n",
    "import type { Principal } from './security.ts';\n\n",
    'export const handlers = defineHandlers<Principal>()({',
    rows.length === 0 ? '' : `\n${rows.join('\n')}`,
    '});\n',
  ].join('');
}

/** The argument of a check, in words. */
const sent: Readonly<Record<DeclaredScheme['takes'], string>> = {
  bearer: 'the token',
  basic: '{ username, password }',
  apiKey: 'the key',
  credentials: 'the text after the name of the scheme',
};

function formatSecurity({ document }: Contract, operations: readonly Operation[], isStored: boolean): string {
  const asked = new Set(
    operations.flatMap(({ security }) => security.flatMap((alternative) => Object.keys(alternative))),
  );
  const root = document as unknown as JsonObject;
  const schemes = followMember(root, followMember(root, root, 'components'), 'securitySchemes');
  const makers = new Set<string>();
  const rows = [...asked].map((name) => {
    const scheme = followMember(root, schemes, name);
    const read = readScheme(scheme);
    const about = [scheme.type, scheme.scheme ?? (scheme.in && `in the ${scheme.in} ${scheme.name}`)];
    if (read === undefined) {
      makers.add('unshown');
      const what = oneLine(about.filter(Boolean).join(', ')) || 'not declared';
      return `  // ${what}: no request contains it, so it gives nobody access\n  ${quoteName(name)}: unshown(),\n`;
    }
    makers.add(read.takes);
    const what = oneLine(about.filter(Boolean).join(scheme.type === 'apiKey' ? ' ' : ', '));
    const check = isStored ? (demoChecks[read.takes] ?? 'demo') : 'refuse';
    return `  // ${what}: called with ${sent[read.takes]}\n  ${quoteName(name)}: ${read.takes}(${check}),\n`;
  });
  const text = readTemplate('security.ts');
  const [beforeTable = '', afterTable = ''] = text.split(/^export const security = \{[\s\S]*?^\}/m);
  if (rows.length === 0) {
    const principal = /\/\*\* The caller:[\s\S]*?\n\}\n/.exec(text)?.[0] ?? '';
    return [
      '// The contract requires no credentials. Write the check of a later security scheme here.\n',
      "import type { Scheme } from '@lockstep/runtime/security/scheme';\n\n",
      `${principal}\nexport const security = {}${afterTable}`,
    ].join('');
  }
  const isRefusing = [...makers].some((maker) => maker !== 'unshown');
  const names = [...[...makers].sort(), 'type Scheme', ...(isRefusing ? ['type Verdict'] : [])].join(', ');
  const check = isRefusing ? (isStored ? demoCheck : undefined) : '';
  const before =
    check === undefined
      ? beforeTable
      : beforeTable.replace(/^\/\*\* To accept a caller, [^\n]*\nconst refuse = [^\n]*\n\n/m, () => check);
  const crypto = isStored && isRefusing ? cryptoImport : '';
  return `${before.replace(/^import \{.*\}/m, `${crypto}import { ${names} }`)}export const security = {\n${rows.join('')}}${afterTable}`;
}

function formatManifest({ name, contractFile, vendor }: ProjectOptions, operations: readonly Operation[]): string {
  const manifest = JSON.parse(readTemplate('package.json').replaceAll('contract.yaml', contractFile));
  const inVendor = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(all).map(([known, version]) => [
        known,
        vendor[known] === undefined ? version : `file:vendor/${vendor[known]}`,
      ]),
    );
  const basePath = operations[0]?.basePath ?? '';
  return `${JSON.stringify(
    {
      ...manifest,
      name,
      scripts: {
        ...manifest.scripts,
        conform: manifest.scripts.conform.replace(/(?<=8080)\S*/, () => quoteShell(basePath)),
      },
      dependencies: inVendor(manifest.dependencies),
      devDependencies: inVendor(manifest.devDependencies),
    },
    null,
    2,
  )}\n`;
}

/** Encodes all but these characters: a base path of a foreign contract could be two words to a shell, or a command. */
function quoteShell(path: string): string {
  const percent = (character: string): string =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  return path.replaceAll(/[^\w./~%-]/gu, percent);
}

/** A text of the contract for a comment: without line breaks of any kind, and no longer than a line. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return line.length > 110 ? `${line.slice(0, 109).trimEnd()}…` : line;
}

/** The name of a member in TypeScript, quoted if necessary. */
function quoteName(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return name;
  const json = escapeControls(JSON.stringify(name));
  return json.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function readTemplate(name: string): string {
  return readFileSync(join(templates, name), 'utf8');
}
