type Node = Record<string, unknown>;

const badge = { name: 'Extension', color: 'purple', position: 'after' };
const mark = '**Extension.**';
const badged = new Set(['Operation', 'Parameter', 'Schema']);
/** OAuth Flow Objects have no description (OpenAPI 3.1, 4.8.29), so there is nothing that could carry the mark. */
const unmarked = new Set(['ImplicitFlow', 'PasswordFlow', 'ClientCredentials', 'AuthorizationCode']);

/**
 * Turns `x-extension: true`, what a contract adds beyond the interface it describes, into what Redoc shows.
 *
 * Redoc draws `x-badges` beside operations, parameters and schemas. Of everything else it shows the description, so
 * the mark opens that. An OAuth flow has none and stays as it is.
 *
 * @param node one object of the contract, changed in place, as Redocly's decorators do
 * @param type its kind, in Redocly's words: `Operation`, `Schema`, `Response`
 */
export function showExtension(node: Node, type: string): void {
  if (node['x-extension'] !== true || unmarked.has(type)) return;
  if (badged.has(type)) {
    const others = Array.isArray(node['x-badges']) ? node['x-badges'] : [];
    node['x-badges'] = [...others, badge];
    return;
  }
  const words = typeof node.description === 'string' ? node.description : '';
  node.description = `${mark} ${words}`.trim();
}

/**
 * The same for a reference that carries the mark beside `$ref`, as a property of a shared schema does.
 *
 * Redoc 3.0.1 drops what stands beside `$ref`; under `allOf` it keeps both.
 */
export function showReferenceExtension(node: Node, type: string): void {
  if (node['x-extension'] !== true || type !== 'Schema') return;
  const { $ref, ...beside } = node;
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, beside, { allOf: [{ $ref }] });
  showExtension(node, type);
}
