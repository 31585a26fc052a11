type Node = Record<string, unknown>;

const badge = { name: 'Extension', color: 'purple', position: 'after' };
const mark = '**Extension.**';
const badged = new Set(['Operation', 'Parameter', 'Schema']);
/** OAuth Flow Objects have no description (OpenAPI 3.1, 4.8.29) that could carry the mark. */
const unmarked = new Set(['ImplicitFlow', 'PasswordFlow', 'ClientCredentials', 'AuthorizationCode']);

/**
 * Shows `x-extension: true` in Redoc, the mark of additions to the described interface.
 *
 * Redoc draws `x-badges` next to operations, parameters and schemas. Of other objects it shows the description, which then begins
 * with the mark. An OAuth flow has no description and stays unchanged.
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
 * The same for a reference that has the mark next to `$ref`, such as a property of a shared schema.
 *
 * Redoc 3.0.1 drops members next to `$ref`; under `allOf` it keeps both.
 */
export function showReferenceExtension(node: Node, type: string): void {
  if (node['x-extension'] !== true || type !== 'Schema') return;
  const { $ref, ...siblings } = node;
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, siblings, { allOf: [{ $ref }] });
  showExtension(node, type);
}
