type Node = Record<string, unknown>;

/**
 * Appends the operationId to the description of an operation, since Redoc does not show it. Generated clients name their methods after it, so readers
 * know this name, and the search finds the operation by it.
 *
 * @param operation changed in place, as Redocly's decorators do; without an operationId it stays unchanged
 */
export function showOperationId(operation: Node): void {
  const { operationId, description } = operation;
  if (typeof operationId !== 'string') return;
  const words = typeof description === 'string' ? `${description.trim()}\n\n` : '';
  operation.description = `${words}Operation id: \`${operationId}\``;
}
