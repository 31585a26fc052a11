/**
 * How the reference is made from the contract. Checking the contract is the linter's business.
 *
 * @param plugin absolute path of `redoc-plugin`, whose name ends otherwise once it is compiled: so this is no file of Redocly's own
 */
export function redocConfig(plugin: string): object {
  return {
    // The one setting that Redocly obeys in a file, also for the page that build-docs makes.
    telemetry: 'off',
    plugins: [plugin],
    extends: [],
    decorators: { 'docs/show-extensions': 'on', 'docs/add-pages': 'on', 'docs/drop-header': 'on' },
    openapi: {
      schemasExpansionLevel: 2,
      sortRequiredPropsFirst: true,
      jsonSamplesExpandLevel: 3,
      codeSamples: { languages: languages.map((lang) => ({ lang })) },
    },
  };
}

/** Redoc's own list, and TypeScript, without which it leaves such samples out. */
const languages: readonly string[] = [
  ...['curl', 'TypeScript', 'Python', 'JavaScript', 'Node.js', 'Java', 'C#', 'PHP', 'Go', 'Ruby', 'R', 'Payload'],
];
