import { join } from 'node:path';

/** One generator of clients, and how a program of its client is made and started. */
export interface Row {
  readonly name: string;
  /** As the table shows it. */
  readonly generator: string;
  /** How an access token is passed. */
  readonly token: string;
  /** Files of `programs/`, by the name they get in the folder of the row. */
  readonly files?: Readonly<Record<string, string>>;
  /** Each step is a command, in the folder of the row. The first generates. */
  readonly generate: readonly [Command, ...Command[]];
  /** Left out where nothing here compiles it. */
  readonly compile?: readonly Command[];
  /** Prints one line for each call. Left out where nothing here runs it. */
  readonly run?: Command;
  /** Observations beyond the columns. */
  readonly note?: string;
}

export type Command = readonly [program: string, ...args: readonly string[]];

const here = import.meta.dirname;
const bin = (name: string): string => join(here, 'node_modules/.bin', name);
const python = (name: string): string => join(here, '.venvs/bin', name);
/** The options that a partner would switch on: none that hides a fault. */
const strict = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--module', 'node16'];
const tsc: Command = [bin('tsc'), ...strict, '--types', 'node', '--outDir', 'out', 'main.ts'];
const node: Command = [process.execPath, 'out/main.js'];
const spec = '$SPEC';
const openapiGenerator = (generator: string, ...options: readonly string[]): Command => [
  python('openapi-generator-cli'),
  ...['generate', '-i', spec, '-g', generator, ...options],
];
const version = 'openapi-generator 7.17';
/** Without it, its clients for Java and Go refuse an answer with a member that is new to them. */
const open = 'disallowAdditionalPropertiesIfNotPresent=false';

/** Those whose generator, compiler and runtime npm brings. */
export const npmRows: readonly Row[] = [
  {
    name: 'openapi-typescript',
    generator: 'openapi-typescript 7.13 (openapi-fetch 0.17)',
    token: '`createClient({ headers: { authorization } })`',
    files: { 'main.ts': 'openapi-typescript.ts' },
    generate: [[bin('openapi-typescript'), spec, '-o', 'client.ts']],
    compile: [tsc],
    run: node,
  },
  {
    name: 'hey-api',
    generator: '@hey-api/openapi-ts 0.99',
    token: '`client.setConfig({ auth: token })`',
    files: { 'main.ts': 'hey-api.ts' },
    generate: [[bin('openapi-ts'), '-i', spec, '-o', 'client']],
    compile: [tsc],
    run: node,
  },
  {
    name: 'orval',
    generator: 'orval 8.38, client `fetch`',
    token: '`{ headers: { authorization } }` as the last argument of each call',
    files: { 'main.ts': 'orval.ts', 'orval.config.mjs': 'orval.config.mjs' },
    generate: [[bin('orval'), '--config', 'orval.config.mjs']],
    compile: [tsc],
    run: node,
    note: 'Its configuration names `input`, and under `output` the `target`, the `client` and the base address as `baseUrl`',
  },
];

export const rows: readonly Row[] = [
  ...npmRows,
  {
    name: 'typescript-fetch',
    generator: `${version}, \`typescript-fetch\``,
    token: "`new Configuration({ accessToken: 'Bearer ' + token })`",
    files: { 'main.ts': 'typescript-fetch.ts' },
    generate: [openapiGenerator('typescript-fetch', '-o', 'client')],
    compile: [tsc],
    run: node,
  },
  {
    name: 'typescript-axios',
    generator: `${version}, \`typescript-axios\``,
    token: '`new Configuration({ accessToken: token })`',
    files: { 'main.ts': 'typescript-axios.ts' },
    generate: [openapiGenerator('typescript-axios', '-o', 'client')],
    compile: [tsc],
    run: node,
  },
  {
    name: 'python',
    generator: `${version}, \`python\``,
    token: '`Configuration(access_token=token)`',
    files: { 'main.py': 'python.py' },
    generate: [openapiGenerator('python', '-o', '.', '--additional-properties', 'packageName=lock_client')],
    compile: [[python('python'), '-m', 'compileall', '-q', 'lock_client']],
    run: [python('python'), 'main.py'],
    note: 'Where the contract has a `oneOf`, put the value into the wrapper class: `…JobData(CreatePinJobData(…))`. If you pass the members by name instead, the client sends null',
  },
  {
    name: 'openapi-python-client',
    generator: 'openapi-python-client 0.29',
    token: '`AuthenticatedClient(token=token)`',
    files: { 'main.py': 'openapi_python_client.py' },
    generate: [
      [
        ...[python('openapi-python-client'), 'generate', '--path', spec],
        ...['--meta', 'none', '--overwrite', '--output-path', 'lock_client'],
      ] as const,
    ],
    compile: [[python('python'), '-m', 'compileall', '-q', 'lock_client']],
    run: [python('python'), 'main.py'],
  },
  {
    name: 'java',
    generator: `${version}, \`java\``,
    token: '`client.setAccessToken(token)`',
    files: { 'src/main/java/Main.java': 'Main.java' },
    generate: [openapiGenerator('java', '-o', '.', '--additional-properties', open)],
    compile: [['mvn', '-q', '-DskipTests', '-Dmaven.javadoc.skip', 'compile', 'dependency:copy-dependencies']],
    run: ['java', '-cp', 'target/classes:target/dependency/*', 'Main'],
  },
  {
    name: 'go',
    generator: `${version}, \`go\``,
    token: '`oauth2.StaticTokenSource`, as the value of `ContextOAuth2` in the context',
    files: { 'program/main.go': 'main.go', 'program/go.mod': 'go.mod' },
    generate: [
      openapiGenerator('go', '-o', 'client', '--git-host', '', '--additional-properties', `packageName=lock,${open}`),
      [
        'sh',
        '-c',
        'cd client && rm -rf test go.mod go.sum && printf "module lock\\n\\ngo 1.23\\n" > go.mod && GOFLAGS=-mod=mod go mod tidy && cd ../program && GOFLAGS=-mod=mod go mod tidy',
      ],
    ],
    compile: [['sh', '-c', 'cd program && go vet ./... && go build -o ../main .']],
    run: ['./main'],
  },
  {
    name: 'oapi-codegen',
    generator: 'oapi-codegen 2.8',
    token: '`WithRequestEditorFn`, with a function that sets the header `Authorization`',
    files: { 'main.go': 'oapi-codegen.go', 'go.mod': 'oapi-codegen.mod', 'oapi-codegen.yaml': 'oapi-codegen.yaml' },
    generate: [
      [
        'go',
        'run',
        'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
        '-config',
        'oapi-codegen.yaml',
        spec,
      ],
      ['go', 'mod', 'tidy'],
    ],
    compile: [['sh', '-c', 'go vet ./... && go build -o main .']],
    run: ['./main'],
    note: 'Its configuration needs `resolve-type-name-collisions: true`, because some parameters and schemas have the same name',
  },
  {
    name: 'kotlin',
    generator: `${version}, \`kotlin\``,
    token: '`ApiClient.accessToken = token`',
    files: { 'src/main/kotlin/Main.kt': 'Main.kt', 'pom.xml': 'kotlin-pom.xml' },
    generate: [openapiGenerator('kotlin', '-o', '.')],
    compile: [['mvn', '-q', 'compile', 'dependency:copy-dependencies']],
    run: ['java', '-cp', 'target/classes:target/dependency/*', 'MainKt'],
    note: '`createBridgeProxiedJob` accepts none of the classes that are generated for its body; `createBridgeTargetedJob` works',
  },
  {
    name: 'csharp',
    generator: `${version}, \`csharp\``,
    token: '`options.AddTokens(new OAuthToken(token))`',
    generate: [openapiGenerator('csharp', '-o', '.')],
    note: 'The test machine has no .NET SDK. The client writes seven fractional digits of a second, which the server rejects: set three digits by `StartDateFormat` and the other formats',
  },
  {
    name: 'swift',
    generator: `${version}, \`swift6\``,
    token: '`Authorization` among the `customHeaders` of its configuration',
    generate: [openapiGenerator('swift6', '-o', '.')],
    note: 'The test machine has no Swift compiler',
  },
];
