import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type TS from '../../toolkit/node_modules/typescript/lib/typescript.js';
import { readImports } from './nearest-tests.ts';

// Draws the mutants, once: `node bench/mutants/draw.ts SEED`. Their patches are committed; the same seed draws others from other code.

const ts: typeof TS = createRequire(new URL('../../toolkit/package.json', import.meta.url))('typescript');
const root = join(import.meta.dirname, '../..');
const folders = ['runtime', 'server', 'toolkit', 'mock', 'conformance'];
const perFolder = { younger: 8, older: 8 };
const mostOfOneOperator = 2;
/** The first batch ended the day before. */
const youngerSince = Date.parse('2026-11-22T00:00Z') / 1000;

interface Mutant {
  readonly file: string;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const isSource = (file: string): boolean =>
  folders.includes(file.split('/')[0] ?? '') &&
  !/\.(test|gen|contract|d|test-d)\.ts$|\.slow\.|(^|\/)(fixtures|planted|odd|examples|reference|store\/contract)\//.test(
    file,
  );

/** Only files that some command or package loads: what tests alone load is no source. */
function findSources(): string[] {
  const reached = new Set(
    [...imports.keys()].filter((file) => /^[^/]*\.ts$|(^|\/)(main|index)\.ts$/.test(file) && !file.includes('.test.')),
  );
  for (const file of reached) for (const named of imports.get(file) ?? []) reached.add(named);
  return [...reached].filter(isSource).toSorted();
}

const flipped: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '&&': '||', '||': '&&', '+': '-', '-': '+', '*': '/', '/': '*' },
};
const otherMethod: Readonly<Record<string, string>> = {
  ...{ some: 'every', every: 'some', startsWith: 'endsWith', endsWith: 'startsWith', min: 'max', max: 'min' },
  ...{
    find: 'findLast',
    findLast: 'find',
    indexOf: 'lastIndexOf',
    floor: 'ceil',
    ceil: 'floor',
    shift: 'pop',
    pop: 'shift',
  },
};
const dropped = new Set([
  'filter',
  'slice',
  'trim',
  'toSorted',
  'toLowerCase',
  'toReversed',
  'flat',
  'sort',
  'reverse',
]);

// Drawn again, since no behaviour can tell: texts of messages; memory of work done; a timer that holds no process open; a wait of
// another length (numbers from 100 up); the ends of a comparison that only sorts.
const isText = (node: TS.Node): boolean =>
  ts.isTemplateExpression(node) ||
  ts.isThrowStatement(node) ||
  (ts.isNewExpression(node) && /(Error|Rejection)$/.test(node.expression.getText()));
const isUnseen = (text: string): boolean =>
  /cache|memo|\.unref\(|[cC]lear(Timeout|Interval)|Object\.freeze|\bseen\b/.test(text);

function* findMutants(file: string, source: TS.SourceFile): Generator<Mutant> {
  const visit = function* (node: TS.Node): Generator<Mutant> {
    if (isText(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    const as = (operator: string, text: string, of = node): Mutant => ({
      file,
      operator,
      start: of.getStart(),
      end: of.getEnd(),
      text,
    });
    if (ts.isBinaryExpression(node)) {
      const sign = node.operatorToken.getText();
      const other = flipped[sign];
      const sorts = ts.isConditionalExpression(node.parent) && /\? -?1\b/.test(node.parent.getText());
      if (other !== undefined && !sorts) yield as(`${sign} became ${other}`, other, node.operatorToken);
      if (sign === '??') yield as('default dropped', node.left.getText());
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      yield as('condition negated', `!(${condition.getText()})`, condition);
      if (ts.isIfStatement(node) && node.elseStatement === undefined) yield as('branch dropped', '');
    } else if (ts.isExpressionStatement(node) && !isUnseen(node.getText())) {
      yield as('statement dropped', '');
    } else if (ts.isReturnStatement(node) && node.expression !== undefined) {
      if (!ts.isCallExpression(node.expression) || !node.expression.getText().startsWith('reject'))
        yield as('returns undefined', 'return undefined;');
      if (/Array/.test(node.expression.getText()) || ts.isArrayLiteralExpression(node.expression))
        yield as('returns no item', 'return [];');
    } else if (ts.isNumericLiteral(node) && Number(node.text) < 100 && !ts.isElementAccessExpression(node.parent)) {
      yield as('number plus one', String(Number(node.text) + 1));
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      yield as('! removed', node.operand.getText());
    } else if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) {
      yield as('truth flipped', node.getText() === 'true' ? 'false' : 'true');
    } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const other = otherMethod[name.text];
      if (other !== undefined) yield as(`${name.text} became ${other}`, other, name);
      if (dropped.has(name.text)) yield as(`${name.text} dropped`, expression.getText());
    } else if (ts.isSpreadAssignment(node) || ts.isSpreadElement(node)) {
      yield as('spread dropped', '...[]');
    }
    for (const child of node.getChildren()) yield* visit(child);
  };
  yield* visit(source);
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function isYounger({ file, start }: Mutant, text: string): boolean {
  const line = String(text.slice(0, start).split('\n').length);
  const told = execFileSync('git', ['blame', '--porcelain', '-L', `${line},${line}`, 'HEAD', '--', file], {
    cwd: root,
    encoding: 'utf8',
  });
  return Number(/^author-time (\d+)/m.exec(told)?.[1]) >= youngerSince;
}

const random = createRandom(Number(process.argv[2]));
const patches = join(import.meta.dirname, 'patches');
mkdirSync(patches, { recursive: true });
const imports = readImports(root);
const sources = new Map(findSources().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const textOf = (file: string): string => sources.get(file) ?? '';
const all = [...sources].flatMap(([file, text]) => [
  ...findMutants(file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)),
]);
const shuffled = all.map((mutant) => ({ mutant, at: random() })).toSorted((a, b) => a.at - b.at);
process.stderr.write(`${all.length} places in ${sources.size} files\n`);
const ages = new Map<Mutant, 'younger' | 'older'>();
const uncompiled = new Set<Mutant>();
for (;;) {
  const drawn = draw();
  const faulty = new Set(findFaulty(drawn));
  process.stderr.write(`${drawn.length} drawn, ${faulty.size} do not compile\n`);
  if (faulty.size === 0) {
    for (const [at, mutant] of drawn.entries()) writePatch(at + 1, mutant);
    break;
  }
  for (const mutant of drawn) if (faulty.has(mutant.file)) uncompiled.add(mutant);
}

/** The same number from each folder; those that a folder has too few files for come from all others. */
function draw(): Mutant[] {
  const used = new Map<string, number>();
  const count = (key: string): number => used.get(key) ?? 0;
  const drawFrom = (folder: string, left: { younger: number; older: number }): Mutant[] =>
    shuffled.flatMap(({ mutant }) => {
      const { file, operator } = mutant;
      const kind = `${file.split('/')[0]} ${operator}`;
      if (!file.startsWith(folder) || uncompiled.has(mutant) || left.younger + left.older === 0) return [];
      if (count(file) > 0 || count(kind) >= mostOfOneOperator) return [];
      const age = ages.get(mutant) ?? (isYounger(mutant, textOf(file)) ? 'younger' : 'older');
      ages.set(mutant, age);
      if (left[age] === 0 || plantInText(mutant) === textOf(file)) return [];
      left[age] -= 1;
      used.set(file, 1).set(kind, count(kind) + 1);
      return [mutant];
    });
  const missing = { younger: 0, older: 0 };
  const each = folders.map((folder) => {
    const left = { ...perFolder };
    const drawn = drawFrom(`${folder}/`, left);
    missing.younger += left.younger;
    missing.older += left.older;
    return drawn;
  });
  return [...each.flat(), ...drawFrom('', missing)].toSorted(
    (a, b) => folders.indexOf(a.file.split('/')[0] ?? '') - folders.indexOf(b.file.split('/')[0] ?? ''),
  );
}

function plantInText({ file, start, end, text }: Mutant): string {
  const whole = textOf(file);
  // A dropped statement takes its line along.
  return (text === '' ? whole.slice(0, start).trimEnd() : whole.slice(0, start) + text) + whole.slice(end);
}

/** Files with faults when all are planted at once, and those whose importers have faults. */
function findFaulty(drawn: readonly Mutant[]): string[] {
  for (const mutant of drawn) writeFileSync(join(root, mutant.file), plantInText(mutant));
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const { file } of drawn) writeFileSync(join(root, file), textOf(file));
  const faulty = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
  return faulty
    .flatMap((file) =>
      sources.has(file) && drawn.some((mutant) => mutant.file === file) ? [file] : (imports.get(file) ?? []),
    )
    .filter((file) => drawn.some((mutant) => mutant.file === file));
}

function writePatch(number: number, mutant: Mutant): void {
  const { file, start, operator } = mutant;
  writeFileSync(join(root, file), plantInText(mutant));
  const difference = execFileSync('git', ['diff', '--', file], { cwd: root, encoding: 'utf8' });
  writeFileSync(join(root, file), textOf(file));
  const line = textOf(file).slice(0, start).split('\n').length;
  const name = `${String(number).padStart(2, '0')}-${file.replace(/\.ts$/, '').replaceAll('/', '-')}.patch`;
  writeFileSync(join(patches, name), `${file}:${line} (${ages.get(mutant)}): ${operator}\n\n${difference}`);
}
