// `npm run pack`: creates the installable packages, as tarballs in `dist/` or in the folder of `--out`. Node strips types, but not in files inside
// `node_modules`, so everything is compiled. Each package contains the workspaces that it needs as bundled dependencies: their names are not
// registered. No bundler is used, since it would lose files that code finds by path: templates, the configuration and plugins of Redocly,
// TypeScript that `generate` copies.
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { parseArgs, promisify } from 'node:util';

const root = import.meta.dirname;
const { values: asked } = parseArgs({ options: { json: { type: 'boolean' }, out: { type: 'string' } } });
/** Concurrent runs need separate folders. */
const dist = resolve(asked.out ?? join(root, 'dist'));
const compiled = join(dist, 'compiled');

/** Workspaces that are installed on their own, in the order of packing: `cli` contains packages that come before it. */
const installable = ['runtime', 'cli', 'conformance', 'mock', 'server', 'generated'] as const;

/** Tarballs that a package contains: a project of `lockstep new` depends on them. */
const carried: Readonly<Record<string, readonly string[]>> = { cli: ['runtime'] };

/** Files that code reads as text: they stay TypeScript. */
const verbatim = ['toolkit/emit/verbatim', 'cli/project'];

/**
 * A foreign package that is bundled too, without its binaries for Java and three systems, 52 MB, and its half for browsers: they are never loaded
 * (`test/install.test.ts` gives the reason). Otherwise every project would install them.
 */
const slimmed = { name: 'recheck', without: /\/lib\/browser\.js$/ };

/** Files that the code next to them reads. Markdown and pictures are for readers of the repository. */
const asset = /\.(json|ya?ml|hbs|html|css)$/;
const notPacked =
  /(^|\/)(node_modules|dist|fixtures|\.[^/]*)(\/|$)|^[^/]*\/package\.json$|^cli\/project\/(generated\/|contract)|^mock\/examples\/|^conformance\/action\.yml$/;

/** The end of a path to a module that code does not import, and whose extension changes when it is compiled. */
const ownExtension = /\$\{extname\(import\.meta\.(url|filename)\)\}$/;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly engines: object;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** By folder. */
type Workspaces = ReadonlyMap<string, Manifest>;

/** Contents of a package: paths below the root of the repository, of compiled files and of others. */
interface Contents {
  readonly modules: ReadonlySet<string>;
  readonly assets: readonly string[];
  /** Foreign packages, at the versions that the workspaces were tested with. */
  readonly dependencies: Map<string, string>;
}

interface Packed {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
  readonly files: number;
}

/** The last child process. A signal to this process kills it. */
let started: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, async () => {
    // The compiler continues after any other signal.
    started?.child.kill('SIGKILL');
    // Until it exits, it writes files that no later step would remove.
    await started?.ended;
    process.exit(exitCode);
  });
const workspaces = await readWorkspaces();
const began = performance.now();
await rm(compiled, { recursive: true, force: true });
await rm(join(dist, 'packages'), { recursive: true, force: true });
await runNode(join(root, 'node_modules/typescript/bin/tsc'), [
  '-p',
  join(root, 'tsconfig.pack.json'),
  '--outDir',
  compiled,
]);
const done = new Map<string, Packed>();
// Packed together, as npm takes half a second to start. Packages that others contain come first.
const first = installable.filter((folder) => Object.values(carried).flat().includes(folder));
for (const folders of [first, installable.filter((folder) => !first.includes(folder))]) {
  for (const folder of folders) await stage(folder);
  for (const [folder, packed] of await pack(folders)) done.set(folder, packed);
}
const seconds = ((performance.now() - began) / 1000).toFixed(1);
if (asked.json) process.stdout.write(`${JSON.stringify(Object.fromEntries(done))}\n`);
else
  process.stdout.write(`${[...done.values()].map(formatPacked).join('\n')}\n${done.size} packages in ${seconds} s\n`);

async function readWorkspaces(): Promise<Workspaces> {
  const { workspaces: folders } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const read = async (folder: string) =>
    [folder, JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Manifest] as const;
  return new Map(await Promise.all((folders as readonly string[]).map(read)));
}

/** Creates `dist/packages/<folder>`: the package as it will be unpacked. */
async function stage(folder: string): Promise<void> {
  const target = join(dist, 'packages', folder);
  const { modules, assets, dependencies } = await collect(folder);
  const siblings = [...new Set([...modules].map(workspaceOf))].filter((name) => name !== folder).sort();
  for (const name of [folder, ...siblings]) {
    const place = name === folder ? target : join(target, 'node_modules', manifestOf(name).name);
    await mkdir(place, { recursive: true });
    for (const file of modules) if (workspaceOf(file) === name) await copy(join(compiled, file), place, file);
    for (const file of assets) if (workspaceOf(file) === name) await copyAsset(file, place, modules);
    const bundled = siblings.map((sibling): [string, string] => [
      manifestOf(sibling).name,
      manifestOf(sibling).version,
    ]);
    const slim = dependencies.get(slimmed.name);
    if (slim !== undefined && name === folder) {
      bundled.push([slimmed.name, slim]);
      const brought = await copySlimmed(join(target, 'node_modules', slimmed.name));
      for (const [other, version] of Object.entries(brought)) dependencies.set(other, version);
    }
    const own = name === folder ? { dependencies: sorted([...dependencies, ...bundled]), bundled } : undefined;
    await writeFile(join(place, 'package.json'), `${JSON.stringify(formatManifest(manifestOf(name), own), null, 2)}\n`);
  }
  for (const file of ['LICENSE', 'NOTICE']) await cp(join(root, file), join(target, file));
  // `generated/` has no README, since none of its files is written by hand.
  const { name, description } = manifestOf(folder);
  const readme = await readFile(join(root, folder, 'README.md'), 'utf8').catch(() => `# ${name}\n\n${description}\n`);
  await writeFile(join(target, 'README.md'), readme);
  for (const other of carried[folder] ?? []) {
    const file = done.get(other)?.file ?? '';
    await cp(resolve(root, file), join(target, 'packages', basename(file)));
  }
}

/**
 * All modules of a workspace, and modules of others that they refer to by import or by path. For example, the command needs the generic part of
 * the mock, but not the server behind the other part.
 */
async function collect(folder: string): Promise<Contents> {
  const modules = new Set<string>();
  const dependencies = new Map<string, string>();
  const assets: string[] = [];
  const known = new Set<string>();
  const waiting = await listFiles(compiled, folder, () => true);
  const take = async (file: string): Promise<void> => {
    if (modules.has(file)) return;
    modules.add(file);
    const name = workspaceOf(file);
    if (!known.has(name)) {
      known.add(name);
      const found = await listFiles(root, name, (path) => asset.test(path) || isVerbatim(path));
      assets.push(...found);
      for (const path of found.filter((path) => /\.ya?ml$/.test(path)))
        waiting.push(...quotedIn(await readFile(join(root, path), 'utf8')).flatMap((text) => findModules(path, text)));
    }
    const source = await readFile(join(compiled, file), 'utf8');
    for (const text of quotedIn(source)) {
      waiting.push(...findModules(file, text));
      const dependency = packageOf(text);
      const asked = manifestOf(name).dependencies ?? {};
      if (Object.hasOwn(asked, dependency) && !dependency.startsWith('@lockstep/'))
        dependencies.set(dependency, asked[dependency] ?? '');
    }
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await take(next);
  return { modules, assets: assets.sort(), dependencies };
}

/** All texts that may be a specifier or a path: text without white space after a quote, or after a dash in YAML. */
function quotedIn(source: string): string[] {
  return [...source.matchAll(/(?:['"`]|- )([@\w.][^\s'"`]*)/g)].map(([, text = '']) => text);
}

/** The compiled files that a text in a file refers to: the module and its types; none if the text names no module of the workspaces. */
function findModules(from: string, specifier: string): string[] {
  const text = specifier.replace(ownExtension, '.js');
  const [, name = '', path = ''] = /^(@lockstep\/[^/]+)\/(.+)$/.exec(text) ?? [];
  const target =
    name === ''
      ? normalize(join(dirname(from), text))
          .split(sep)
          .join('/')
      : entryOf(name, path);
  if (target === undefined || !/\.[jt]s$/.test(target)) return [];
  const module = target.replace(/(\.d)?\.[jt]s$/, '');
  return [`${module}.js`, `${module}.d.ts`].filter((file) => existsSync(join(compiled, file)));
}

/** The target of a workspace's `exports`. */
function entryOf(name: string, path: string): string | undefined {
  const [folder, manifest] = [...workspaces].find(([, { name: known }]) => known === name) ?? [];
  const entry = manifest?.exports?.[`./${path}`] ?? manifest?.exports?.['./*']?.replace('*', path);
  return folder === undefined || entry === undefined ? undefined : join(folder, entry);
}

async function listFiles(base: string, folder: string, isWanted: (path: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of glob(`${folder}/**`, { cwd: base, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
      .slice(base.length + 1)
      .split(sep)
      .join('/');
    if (entry.isFile() && !notPacked.test(path) && isWanted(path)) found.push(path);
  }
  return found.sort();
}

/** @returns its own dependencies */
async function copySlimmed(place: string): Promise<Readonly<Record<string, string>>> {
  const source = join(root, 'node_modules', slimmed.name);
  await cp(source, place, { recursive: true, filter: (path) => !slimmed.without.test(path) });
  const { optionalDependencies: _, ...manifest } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  await writeFile(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest.dependencies;
}

async function copy(source: string, place: string, file: string): Promise<void> {
  await cp(source, join(place, file.slice(file.indexOf('/') + 1)));
}

/** Copies an asset. The name of a module in a configuration becomes that of the compiled module. */
async function copyAsset(file: string, place: string, modules: ReadonlySet<string>): Promise<void> {
  await copy(join(root, file), place, file);
  if (!/\.ya?ml$/.test(file) || isVerbatim(file)) return;
  const text = await readFile(join(root, file), 'utf8');
  const named = quotedIn(text).filter((path) => findModules(file, path).some((module) => modules.has(module)));
  const renamed = named.reduce((all, path) => all.replaceAll(path, path.replace(/\.ts$/, '.js')), text);
  await writeFile(join(place, file.slice(file.indexOf('/') + 1)), renamed);
}

function formatManifest(
  { name, version, description, license, type, engines, bin, exports }: Manifest,
  own: { readonly dependencies: object; readonly bundled: readonly (readonly [string, string])[] } | undefined,
): object {
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    ...(bin && { bin: mapValues(bin, asJs) }),
    ...(exports && { exports: mapValues(exports, asExport) }),
    // Dependencies of a sibling are dependencies of the package that contains it.
    ...(own && { dependencies: own.dependencies, bundleDependencies: own.bundled.map(([sibling]) => sibling) }),
  };
}

function asJs(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

function asExport(path: string): string | object {
  return path.endsWith('.ts') ? { types: path.replace(/\.ts$/, '.d.ts'), default: asJs(path) } : path;
}

async function pack(folders: readonly string[]): Promise<[string, Packed][]> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', dist];
  const places = folders.map((folder) => join(dist, 'packages', folder));
  const { stdout } = await run('npm', [...args, ...places]);
  const all = JSON.parse(stdout) as { name: string; filename: string; unpackedSize: number; entryCount: number }[];
  return Promise.all(
    folders.map(async (folder): Promise<[string, Packed]> => {
      const found = all.find(({ name }) => name === manifestOf(folder).name);
      if (found === undefined) throw new Error(`npm did not pack ${folder}`);
      const { name, filename, unpackedSize, entryCount } = found;
      const { size } = await stat(join(dist, filename));
      return [
        folder,
        {
          name,
          file: relative(root, join(dist, filename)).split(sep).join('/'),
          bytes: size,
          unpackedBytes: unpackedSize,
          files: entryCount,
        },
      ];
    }),
  );
}

function formatPacked({ file, bytes, unpackedBytes, files }: Packed): string {
  const kilobytes = (count: number): string => `${Math.ceil(count / 1000)} kB`.padStart(9);
  return `${file.padEnd(36)}${kilobytes(bytes)}${kilobytes(unpackedBytes)} unpacked, ${files} files`;
}

async function runNode(file: string, args: readonly string[]): Promise<void> {
  await run(process.execPath, [file, ...args]).catch(({ stdout, stderr }) => {
    throw new Error(`${file} failed:\n${stdout}${stderr}`);
  });
}

function run(file: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  const running = promisify(execFile)(file, [...args], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  started = { child: running.child, ended: once(running.child, 'close') };
  return running;
}

function manifestOf(folder: string): Manifest {
  const manifest = workspaces.get(folder);
  if (manifest === undefined) throw new Error(`${folder} is no workspace`);
  return manifest;
}

function workspaceOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function isVerbatim(path: string): boolean {
  return verbatim.some((folder) => path.startsWith(`${folder}/`));
}

/** `ajv` of `ajv/dist/2020.js`, `@noble/ciphers` of `@noble/ciphers/ff1.js`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function sorted(entries: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function mapValues<Value, Mapped>(all: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, map(value)]));
}
